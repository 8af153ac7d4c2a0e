import { checkRoot, DEFAULT_ROOT, type HostSummary, readAddress } from "@sightline/core/hosts";
import { z } from "zod";
import { procedure, router } from "../../trpc.ts";

const HostId = z.object({ host_id: z.string().min(1).max(80) });
const Name = z.string().trim().min(1, { error: "The host needs a name." }).max(200);

const Address = z.object({
  address: z.string().transform((text, context) => {
    const { address, problem } = readAddress(text);
    if (address !== null) return address;
    context.addIssue({ code: "custom", message: problem });
    return z.NEVER;
  }),
  port: z.int().min(1).max(65_535).nullable().default(null),
});

const Root = z
  .string()
  .default(DEFAULT_ROOT)
  .superRefine((root, context) => {
    const problem = checkRoot(root);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  });

export const hostsRouter = router({
  list: procedure.query(async ({ ctx }): Promise<HostSummary[]> => {
    const active = ctx.app.runs.activeByHost();
    const hosts = await ctx.app.hosts.list();
    return hosts.map((host) => ({ ...host, active_runs: active.get(host.host_id) ?? 0 }));
  }),

  follow: procedure.subscription(async function* ({ ctx, signal }) {
    const { hosts, runs } = ctx.app;
    for await (const list of hosts.follow(signal ?? new AbortController().signal)) {
      const active = runs.activeByHost();
      yield list.map((host): HostSummary => ({ ...host, active_runs: active.get(host.host_id) ?? 0 }));
    }
  }),

  followUsage: procedure.subscription(async function* ({ ctx, signal }) {
    yield* ctx.app.hosts.followUsage(signal ?? new AbortController().signal);
  }),

  followEvents: procedure.input(HostId).subscription(async function* ({ ctx, input, signal }) {
    yield* ctx.app.hosts.followEvents(input.host_id, signal ?? new AbortController().signal);
  }),

  /** A first look goes out into the network, so it is a mutation. */
  contact: procedure
    .input(Address)
    .mutation(({ ctx, input, signal }) =>
      ctx.app.hosts.contact(input, signal ?? new AbortController().signal),
    ),

  confirm: procedure
    .input(
      Address.extend({
        fingerprint: z.string().min(1).max(200),
        /** True only where a person has seen that the key changed, and knows why. */
        replace: z.boolean().default(false),
      }),
    )
    .mutation(({ ctx, input, signal }) =>
      ctx.app.hosts.confirm(input, input.fingerprint, input.replace, signal ?? new AbortController().signal),
    ),

  attach: procedure
    .input(Address.extend({ name: Name, root: Root }))
    .mutation(({ ctx, input }) => ctx.app.hosts.attach(input)),

  doctor: procedure
    .input(HostId)
    .mutation(({ ctx, input, signal }) =>
      ctx.app.hosts.doctor(input.host_id, signal ?? new AbortController().signal),
    ),

  prepare: procedure
    .input(
      HostId.extend({
        profile: z.enum(["cpu", "cuda", "adopt"]),
        /** The interpreter to adopt, by its path on the host. */
        python: z.string().max(1000).nullable().default(null),
        repair: z.boolean().default(false),
      }),
    )
    .mutation(({ ctx, input }) =>
      ctx.app.hosts.prepare(input.host_id, {
        profile: input.profile,
        python: input.python,
        is_repair: input.repair,
      }),
    ),

  rename: procedure
    .input(HostId.extend({ name: Name }))
    .mutation(({ ctx, input }) => ctx.app.hosts.rename(input.host_id, input.name)),

  detach: procedure.input(HostId).mutation(({ ctx, input }) => ctx.app.hosts.detach(input.host_id)),

  restore: procedure.input(HostId).mutation(({ ctx, input }) => ctx.app.hosts.restore(input.host_id)),
});
