import { ActionIcon, Popover, ScrollArea, Tooltip, UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import { StatusMark, type Tone } from "../status/index.tsx";
import classes from "./job-tray.module.css";

/** One piece of long work, as a person follows it. */
export type TrayItem = {
  key: string;
  /** "Reading kitchen.mp4" */
  title: string;
  state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
  done: number;
  /** Null while the amount of work is not known. */
  total: number | null;
  /** What else is worth saying: "12.3 of 40 MB". */
  detail?: string;
  /** What went wrong and what to do. */
  problem: string | null;
  actions: { label: string; icon: ReactNode; run: () => void }[];
};

const TONES: Record<TrayItem["state"], Tone> = {
  waiting: "waiting",
  running: "busy",
  paused: "waiting",
  done: "done",
  failed: "wrong",
  cancelled: "quiet",
};

const WORDS: Record<TrayItem["state"], string> = {
  waiting: "waiting",
  running: "running",
  paused: "paused",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
};

/** The tray at the foot of every page: one line that opens to the list of all long work. */
export function JobTray({ items, onClear }: { items: readonly TrayItem[]; onClear: () => void }) {
  const running = items.filter((item) => item.state === "running");
  const open = items.filter((item) => ["running", "waiting", "paused"].includes(item.state));
  const failed = items.filter((item) => item.state === "failed");
  const lead = running[0] ?? open[0] ?? null;
  const others = countOthers(open, lead);
  if (items.length === 0) return <span className={classes.idle}>No work under way</span>;
  return (
    <Popover position="top-start" width={420} offset={6} trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton className={classes.summary} title="Long work">
          {lead !== null && (
            <>
              <StatusMark tone={TONES[lead.state]} />
              <span className={classes.summaryTitle}>{lead.title}</span>
              <Progress item={lead} />
              {others !== "" && <span className={classes.more}>{others}</span>}
            </>
          )}
          {failed.length > 0 && (
            <span className={classes.failed}>
              <StatusMark tone="wrong" /> {failed.length} failed
            </span>
          )}
          {lead === null && failed.length === 0 && <span className={classes.idle}>All work is done</span>}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={0}>
        <div className={classes.head}>
          <span>Long work</span>
          {items.length > open.length && (
            <UnstyledButton className={classes.clear} onClick={onClear}>
              Clear finished
            </UnstyledButton>
          )}
        </div>
        <ScrollArea.Autosize mah={360} type="auto">
          <ul className={classes.list}>
            {items.map((item) => (
              <li key={item.key} className={classes.item}>
                <StatusMark tone={TONES[item.state]} />
                <div className={classes.itemBody}>
                  <div className={classes.itemTitle} title={item.title}>
                    {item.title}
                  </div>
                  {item.problem !== null ? (
                    <div className={classes.problem}>{item.problem}</div>
                  ) : (
                    <div className={classes.detail}>
                      {item.state === "running" ? <Progress item={item} wide /> : WORDS[item.state]}
                      {item.detail !== undefined && <span>{item.detail}</span>}
                    </div>
                  )}
                </div>
                <div className={classes.actions}>
                  {item.actions.map(({ label, icon, run }) => (
                    <Tooltip key={label} label={label}>
                      <ActionIcon size={24} aria-label={`${label}: ${item.title}`} onClick={run}>
                        {icon}
                      </ActionIcon>
                    </Tooltip>
                  ))}
                </div>
              </li>
            ))}
          </ul>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}

/** "and 2 more, 3 waiting": what goes on besides the one that is named, and what does not go on. */
function countOthers(open: readonly TrayItem[], lead: TrayItem | null): string {
  const count = (state: TrayItem["state"]) =>
    open.filter((item) => item !== lead && item.state === state).length;
  const counts = [
    [count("running"), "more"],
    [count("waiting"), "waiting"],
    [count("paused"), "paused"],
  ] as const;
  const said = counts.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`);
  return said.length === 0 ? "" : `and ${said.join(", ")}`;
}

function Progress({ item, wide = false }: { item: TrayItem; wide?: boolean }) {
  const share = item.total === null || item.total === 0 ? null : Math.min(1, item.done / item.total);
  return (
    <>
      <span
        className={classes.bar}
        data-wide={wide || undefined}
        data-unknown={share === null || undefined}
        role="progressbar"
        aria-label={item.title}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share === null ? undefined : Math.round(share * 100)}
      >
        <span style={{ width: share === null ? undefined : `${share * 100}%` }} />
      </span>
      {share !== null && <span className={classes.percent}>{Math.floor(share * 100)} %</span>}
    </>
  );
}
