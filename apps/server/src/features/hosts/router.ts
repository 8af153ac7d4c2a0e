import type { HostSummary } from "@sightline/core/runs";
import { procedure, router } from "../../trpc.ts";

export const hostsRouter = router({
  list: procedure.query(async ({ ctx }): Promise<HostSummary[]> => {
    const active = ctx.app.runs.activeByHost();
    const hosts = await ctx.app.hosts.list();
    return hosts.map((host) => ({ ...host, active_runs: active.get(host.host_id) ?? 0 }));
  }),
});
