import { createSecrets } from "../../data-folder/secrets.ts";
import type { Db } from "../../db/open.ts";
import type { Patience } from "./chat.ts";
import { createEndpointService, type Endpoints } from "./service.ts";
import { createEndpointStore } from "./store.ts";

export type { ChatAnswer, ChatDelta, ChatMessage, ChatPart, ChatRequest, Patience } from "./chat.ts";
export { EndpointProblem } from "./problem.ts";
export type { ChatOptions, Endpoint, EndpointDraft, Endpoints, Trial } from "./service.ts";

export function createEndpoints(parts: {
  db: Db;
  dataDir: string;
  /** How long and how often calls are tried; another one for tests. */
  patience?: Patience | undefined;
}): Endpoints {
  return createEndpointService({
    store: createEndpointStore(parts.db),
    keys: createSecrets(parts.dataDir, "keys.json"),
    ...(parts.patience && { patience: parts.patience }),
  });
}
