import { mapAlong, type OverlayLine, type RunSummary, X_METRICS, type XMap } from "@sightline/core/runs";
import { toNumber } from "@sightline/core/wire";
import { type CurveSeries, POINT } from "@sightline/ui/curve";
import { MOST_NAMED } from "./most-named.ts";

const DASHES = ["solid", "dashed", "dotted"] as const;
/** Metrics whose NaN says that nothing was measured; of all others it is a number gone wrong. */
const MAY_BE_UNMEASURED = /^(rewards|tally)\//;

/** Lines as the server gave them, coloured by run and dashed by metric. Pure. */
export function drawOverlay(
  lines: readonly OverlayLine[],
  runs: readonly Pick<RunSummary, "run_id" | "name">[],
  names: readonly string[],
  kind: XMap["kind"],
): CurveSeries[] {
  const clock = kind === "step" || kind === "stage" ? null : X_METRICS[kind];
  const linesOf = new Map<string, OverlayLine[]>(runs.map(({ run_id }) => [run_id, []]));
  for (const line of lines) linesOf.get(line.run_id)?.push(line);
  return runs.flatMap(({ run_id, name: label }, k) => {
    const own = linesOf.get(run_id) ?? [];
    const places = own.filter((line) => line.name === clock);
    const map =
      clock === null || kind === "step" || kind === "stage"
        ? null
        : mapAlong(
            kind,
            places.map(({ steps, values }) => ({ steps, values: values.map(toNumber) })),
          );
    if (clock !== null && map === null) return [];
    return names.flatMap((name, n): CurveSeries[] => {
      const found = own.filter((line) => line.name === name);
      if (found.length === 0) return [];
      const toX = map?.toX ?? ((step: number) => step);
      const basis = found.every((line) => line.basis === undefined)
        ? {}
        : {
            basis: {
              x: Float64Array.from(found.flatMap(({ basis, steps }) => (basis?.steps ?? steps).map(toX))),
              values: Float64Array.from(
                found.flatMap(({ basis, values }) => basis?.means ?? values.map(toNumber)),
              ),
              counts: Float64Array.from(
                found.flatMap(({ basis, steps }) => basis?.counts ?? steps.map(() => 1)),
              ),
            },
          };
      const steps = found.flatMap((line) => line.steps);
      const values = Float64Array.from(found.flatMap((line) => line.values.map(toNumber)));
      const flags = MAY_BE_UNMEASURED.test(name)
        ? { flags: Uint8Array.from(values, (value) => (Number.isNaN(value) ? POINT.missing : 0)) }
        : {};
      return [
        {
          id: `${run_id} ${name}`,
          label: names.length > 1 ? `${label} · ${name.split("/").at(-2) ?? name}` : label,
          color: k < MOST_NAMED ? `series-${k}` : "ink-3",
          dash: DASHES[n % DASHES.length] ?? "solid",
          is_quiet: k >= MOST_NAMED,
          is_beside: true,
          x: Float64Array.from(steps.map(toX)),
          values,
          ...flags,
          ...basis,
        },
      ];
    });
  });
}
