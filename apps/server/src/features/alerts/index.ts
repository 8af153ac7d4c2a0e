import type { Logger } from "pino";
import { createSecrets } from "../../data-folder/secrets.ts";
import type { Db } from "../../db/open.ts";
import type { Runs } from "../runs/service.ts";
import type { OutboxPatience } from "./outbox.ts";
import { type Alerts, createAlertService } from "./service.ts";
import { createAlertStore } from "./store.ts";

export type { OutboxPatience } from "./outbox.ts";
export type { Alerts } from "./service.ts";

export function createAlerts({
  db,
  dataDir,
  ...parts
}: {
  db: Db;
  dataDir: string;
  runs: Runs;
  log: Logger;
  getAuthor(): string;
  patience?: OutboxPatience | undefined;
}): Alerts {
  const secrets = createSecrets(dataDir, "webhook-secrets.json");
  return createAlertService({ store: createAlertStore(db), secrets, ...parts });
}
