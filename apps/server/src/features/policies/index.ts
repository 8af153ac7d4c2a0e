import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Policy } from "@sightline/core/policies";
import type { RunSummary } from "@sightline/core/runs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Db } from "../../db/open.ts";
import { confinePath } from "../../http/confine-path.ts";
import { listModelFolders, readExport, SafeName } from "./folders.ts";
import { type Hub, toHub } from "./hub.ts";
import { createHubModels, type HubModels } from "./hub-models.ts";

/** Policies that a browser can run, and their files. */
export type Policies = {
  /** Runs' exports, folders under `models` and models of the hub, the newest first. */
  list(): Promise<Policy[]>;
  hub: Hub;
  hubModels: HubModels;
  /**
   * A file of a policy, free of links.
   *
   * @param kind  `runs` or `folders`, with the run's id or the folder's name.
   * @returns Null when there is no such policy or file, or the path leads out of its folder.
   */
  findFile(kind: string, name: string, path: string): Promise<string | null>;
};

export function createPolicies(parts: {
  db: Db;
  dataDir: string;
  /** The hub's address; the public one's when undefined. */
  hubAddress: string | undefined;
  /** Runs that are not in the trash. */
  listRuns(): RunSummary[];
}): Policies {
  const runsDir = join(parts.dataDir, "runs");
  const modelsDir = join(parts.dataDir, "models");
  const hub = toHub(parts.hubAddress);
  const hubModels = createHubModels(parts.db, hub);
  /** Only this machine's files can be served. */
  const listLocal = () => parts.listRuns().filter(({ host_id }) => host_id === "local");

  const readRun = async ({ run_id, name }: RunSummary): Promise<Policy | null> => {
    const folder = await confinePath(runsDir, `${run_id}/export`).catch(() => null);
    const policy = folder === null ? null : await readExport(folder, run_id);
    return policy && { ...policy, name };
  };

  return {
    hub,
    hubModels,
    async list() {
      const exported = await Promise.all(listLocal().map(readRun));
      const policies = [
        ...exported.filter((one) => one !== null),
        ...(await listModelFolders(modelsDir)),
        ...hubModels.list(),
      ];
      return policies.sort((a, b) => b.made_secs - a.made_secs);
    },

    async findFile(kind, name, path) {
      if (!SafeName.test(name)) return null;
      if (kind === "runs" && !listLocal().some(({ run_id }) => run_id === name)) return null;
      try {
        const folder =
          kind === "runs" ? await confinePath(runsDir, `${name}/export`) : await confinePath(modelsDir, name);
        const file = await confinePath(folder, path);
        return (await stat(file)).isFile() ? file : null;
      } catch {
        // Not there, or out of the folder: who asks learns no difference.
        return null;
      }
    },
  };
}

type Params = { name: string; "*": string };

type HubParams = Params & { owner: string };

/** Serves policies' files, read-only; to those on the hub it shows the way. */
export function registerPolicyRoutes(server: FastifyInstance, policies: Policies): void {
  for (const kind of ["runs", "folders"] as const) {
    server.get<{ Params: Params }>(`/media/policies/${kind}/:name/*`, async (request, reply) => {
      const file = await policies.findFile(kind, request.params.name, request.params["*"]);
      if (file === null) return reply.code(404).send({ message: "There is no such file of a policy." });
      return sendFile(request, reply, file);
    });
  }
  server.get<{ Params: HubParams }>("/media/policies/hub/:owner/:name/*", async ({ params }, reply) => {
    const address = policies.hubModels.getAddress(`${params.owner}/${params.name}`, params["*"]);
    if (address === null) return reply.code(404).send({ message: "There is no such model of the hub here." });
    return reply.header("cache-control", "no-store").redirect(address);
  });
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: string) {
  const { size, mtimeMs } = await stat(file);
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
  reply.headers({ etag, "cache-control": "no-cache" });
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  return reply
    .header("content-length", size)
    .type(extname(file) === ".json" ? "application/json" : "application/octet-stream")
    .send(createReadStream(file));
}
