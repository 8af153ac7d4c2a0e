import { type Finished, tellPace } from "@sightline/core/batches";
import { formatCount, formatLasting, formatNumberOf } from "@sightline/core/format";

/** How far the command is, on standard error. */
export type Progress = {
  /** Says something that stays. */
  say(text: string): void;
  /** A video is through; `duration_secs` is 0 for one that could not be looked at, null for one that was there. */
  count(duration_secs: number | null): void;
  close(): void;
};

/** How often a line is written where nobody watches, and where a terminal shows one line that changes. */
const PLAIN_MS = 10_000;
const TERMINAL_MS = 500;

/** @param total  Videos in all. */
export function createProgress(stream: NodeJS.WriteStream, total: number): Progress {
  const isTerminal = stream.isTTY === true;
  const finished: Finished[] = [];
  const began_secs = Date.now() / 1000;
  let through = 0;
  let shown = false;

  const describe = () => {
    const left = total - through;
    const pace = tellPace(
      finished,
      { clips: left, known_secs: 0, unknown: left },
      began_secs,
      Date.now() / 1000,
    );
    const rest =
      pace === null
        ? "estimating the time left"
        : `${formatPerMinute(pace.clips_per_minute)} clips a minute, ${formatLasting(pace.left_secs)} left`;
    return `${formatCount(through)} of ${formatNumberOf(total, "clip")} · ${rest}`;
  };
  const wipe = () => {
    if (shown) stream.write("\r\x1b[K");
    shown = false;
  };
  const show = () => {
    if (through === total) return;
    if (!isTerminal) {
      stream.write(`${describe()}\n`);
      return;
    }
    stream.write(`\r\x1b[K${describe()}`);
    shown = true;
  };
  const timer = setInterval(show, isTerminal ? TERMINAL_MS : PLAIN_MS);
  timer.unref();

  return {
    say(text) {
      wipe();
      stream.write(`${text}\n`);
    },
    count(duration_secs) {
      through += 1;
      if (duration_secs !== null) finished.push({ ended_secs: Date.now() / 1000, duration_secs });
    },
    close() {
      clearInterval(timer);
      wipe();
    },
  };
}

const formatPerMinute = (rate: number) => (rate < 10 ? rate.toFixed(1) : formatCount(rate));
