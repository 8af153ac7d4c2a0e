import { Button, Checkbox, CopyButton, Select } from "@mantine/core";
import { formatBytes } from "@sightline/core/format";
import type { RunDetail } from "@sightline/core/runs";
import { useEffect, useRef } from "react";
import { isLive } from "../run-state.ts";
import classes from "./log-tab.module.css";
import { useLog } from "./use-log.ts";

/** The end of an attempt's log, as its process wrote it. */
export function LogTab({ run_id, detail }: { run_id: string; detail: RunDetail | null }) {
  const newest = detail?.attempts.at(-1)?.attempt ?? null;
  const log = useLog(run_id, newest, detail !== null && isLive(detail.run.state));
  const pane = useRef<HTMLPreElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when text comes
  useEffect(() => {
    if (log.isFollowing && pane.current) pane.current.scrollTop = pane.current.scrollHeight;
  }, [log.text, log.isFollowing]);

  if (newest === null) return <p className={classes.hint}>There is a log once a process has started.</p>;
  return (
    <div className={classes.tab}>
      <header className={classes.header}>
        <Select
          size="xs"
          w={130}
          aria-label="Attempt"
          allowDeselect={false}
          value={String(log.attempt)}
          data={(detail?.attempts ?? []).map(({ attempt }) => ({
            value: String(attempt),
            label: `Attempt ${attempt}`,
          }))}
          onChange={(value) => log.setAttempt(value === null ? null : Number(value))}
        />
        <Checkbox
          size="xs"
          label="Follow"
          checked={log.isFollowing}
          onChange={(event) => log.setFollowing(event.currentTarget.checked)}
        />
        <span className={classes.quiet}>
          {log.size === null ? "" : `${formatBytes(log.text.length)} of ${formatBytes(log.size)}`}
        </span>
        {log.hasEarlier && (
          <Button size="compact-xs" variant="subtle" onClick={log.readEarlier} loading={log.isReading}>
            Earlier
          </Button>
        )}
        <CopyButton value={log.text}>
          {({ copied, copy }) => (
            <Button size="compact-xs" variant="default" ml="auto" onClick={copy}>
              {copied ? "Copied" : "Copy"}
            </Button>
          )}
        </CopyButton>
      </header>
      {log.problem !== null && <p className={classes.hint}>{log.problem}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre ref={pane} className={classes.log} tabIndex={0}>
        {log.text === "" && log.problem === null ? "Nothing was written to the log." : log.text}
      </pre>
    </div>
  );
}
