import { formatAgo, formatBytes } from "@sightline/core/format";
import { type HostUsage, usageCurve } from "@sightline/core/hosts";
import { type CurveColor, getCssColor, Sparkline } from "@sightline/ui/curve";
import classes from "./usage-tiles.module.css";

/** What a tile's curve reaches back. */
const WINDOW_SECS = 600;
const COLORS = { busy: "accent", memory: "human" } as const satisfies Record<string, CurveColor>;

type Pick = (sample: HostUsage) => number | null;

/** A host's processors and each of its GPUs, as small curves over the last ten minutes. */
export function UsageTiles({
  samples,
  isStale,
}: {
  samples: readonly HostUsage[];
  /** The host does not answer: what is shown is how it was. */
  isStale: boolean;
}) {
  const newest = samples.at(-1);
  if (newest === undefined)
    return <p className={classes.none}>No measurement yet: one comes as soon as the host answers.</p>;
  const { gpus, cpus, cpu_share, memory_bytes, memory_used_bytes, gpu_problem } = newest;
  return (
    <>
      {isStale && (
        <p className={classes.none}>As last measured, {formatAgo(newest.time_secs, Date.now() / 1000)}:</p>
      )}
      <div className={classes.tiles} data-stale={isStale || undefined}>
        {gpus.map(({ uuid, index, name, util, used_bytes, memory_bytes: bytes, temperature_c, mig }) => {
          const of = (sample: HostUsage) => sample.gpus.find((gpu) => gpu.uuid === uuid);
          return (
            <Tile
              key={uuid}
              title={`GPU ${index}`}
              subtitle={shorten(name)}
              hint={[name, temperature_c !== null && `${temperature_c} °C`].filter(Boolean).join(", ")}
              samples={samples}
              busy={util}
              busyNote={mig ? "MIG" : null}
              used={used_bytes}
              bytes={bytes}
              pickBusy={(sample) => of(sample)?.util ?? null}
              pickMemory={(sample) => share(of(sample)?.used_bytes ?? null, bytes)}
            />
          );
        })}
        <Tile
          title={gpus.length === 0 ? "No GPU" : "Processors"}
          subtitle={`${cpus} ${cpus === 1 ? "core" : "cores"}`}
          hint="All processors and the main memory"
          samples={samples}
          busy={cpu_share}
          busyNote={null}
          used={memory_used_bytes}
          bytes={memory_bytes}
          pickBusy={(sample) => sample.cpu_share}
          pickMemory={(sample) => share(sample.memory_used_bytes, sample.memory_bytes)}
        />
      </div>
      {gpu_problem !== null && (
        <p className={classes.complaint}>
          The GPU's driver complains: {gpu_problem} Look at nvidia-smi on the host; a reboot often mends it.
        </p>
      )}
    </>
  );
}

function Tile(props: {
  title: string;
  subtitle: string;
  hint: string;
  samples: readonly HostUsage[];
  busy: number | null;
  /** Why there is no figure, where that is known. */
  busyNote: string | null;
  used: number | null;
  bytes: number;
  pickBusy: Pick;
  pickMemory: Pick;
}) {
  const { title, subtitle, samples, busy, used, bytes } = props;
  const busyText = busy === null ? (props.busyNote ?? "–") : `${Math.round(100 * busy)} %`;
  const memoryText =
    used === null ? `– of ${formatBytes(bytes)}` : `${formatBytes(used)} of ${formatBytes(bytes)}`;
  return (
    <div className={classes.tile} title={props.hint}>
      <div className={classes.head}>
        <span className={classes.title}>{title}</span>
        <span className={classes.subtitle}>{subtitle}</span>
        <span className={classes.busy} style={{ color: getCssColor(COLORS.busy) }}>
          {busyText}
        </span>
      </div>
      <Sparkline
        isFluid
        height={38}
        label={`${title}, last ten minutes: busy ${busyText}, memory ${memoryText}`}
        lines={[
          { id: "memory", color: COLORS.memory, ...toLine(samples, props.pickMemory) },
          { id: "busy", color: COLORS.busy, ...toLine(samples, props.pickBusy) },
        ]}
      />
      <div className={classes.memory}>
        <i style={{ background: getCssColor(COLORS.memory) }} />
        memory {memoryText}
      </div>
    </div>
  );
}

/** Places in [0, 1] over the window that ends with the newest sample. */
function toLine(samples: readonly HostUsage[], pick: Pick): { x: number[]; y: number[] } {
  const end = samples.at(-1)?.time_secs ?? 0;
  const { times, values } = usageCurve(
    samples.filter(({ time_secs }) => time_secs >= end - WINDOW_SECS),
    pick,
  );
  return { x: [...times].map((time) => 1 - (end - time) / WINDOW_SECS), y: [...values] };
}

function share(used: number | null, bytes: number): number | null {
  return used === null || bytes === 0 ? null : used / bytes;
}

/** "NVIDIA GeForce RTX 4090" is "RTX 4090" where room is dear. */
function shorten(name: string): string {
  return name.replace(/^NVIDIA (GeForce )?/, "");
}
