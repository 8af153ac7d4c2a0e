import { Button, CopyButton } from "@mantine/core";
import { formatCount } from "@sightline/core/format";
import { IconAlertTriangle, IconCheck, IconX } from "@tabler/icons-react";
import { formatDuration } from "../run-state.ts";
import classes from "./launch-page.module.css";
import { type Check, type Draft, getPlan, toSpec } from "./preflight.ts";

const ICONS = { fine: IconCheck, odd: IconAlertTriangle, wrong: IconX };
const WORDS = { fine: "fine", odd: "look at this", wrong: "cannot start so" };

/** What was checked while one typed, what the run will come to, and exactly what is started. */
export function PreflightPanel({
  draft,
  checks,
  questions,
  host_name,
  onFix,
}: {
  draft: Draft;
  checks: readonly Check[];
  questions: number | null;
  host_name: string;
  onFix: (name: string, value: string | number | boolean) => void;
}) {
  const plan = getPlan(draft, questions);
  return (
    <>
      <section aria-label="Preflight">
        <h2 className={classes.heading}>Preflight</h2>
        <ul className={classes.checks} aria-live="polite">
          {checks.map((check) => {
            const Icon = ICONS[check.verdict];
            return (
              <li key={`${check.id} ${check.words}`} data-verdict={check.verdict}>
                <Icon size={15} stroke={2} aria-label={WORDS[check.verdict]} />
                <span>{check.words}</span>
                {check.fix && <Fix fix={check.fix} onFix={onFix} />}
              </li>
            );
          })}
        </ul>
      </section>
      <section aria-label="What it comes to">
        <h2 className={classes.heading}>What it comes to</h2>
        <dl className={classes.facts}>
          <dt>Steps</dt>
          <dd>
            {formatCount(plan.left)}
            {plan.left < plan.steps && (
              <span className={classes.quiet}> of {formatCount(plan.steps)}; the parent took the others</span>
            )}
          </dd>
          <dt>Completions</dt>
          <dd>{formatCount(plan.completions)}</dd>
          <dt>Time</dt>
          <dd>{describeTime(draft, plan.secs)}</dd>
        </dl>
      </section>
      <Command draft={draft} host_name={host_name} />
    </>
  );
}

function Fix({
  fix: [name, value],
  onFix,
}: {
  fix: NonNullable<Check["fix"]>;
  onFix: (name: string, value: string | number | boolean) => void;
}) {
  return (
    <Button size="compact-xs" variant="default" className={classes.fix} onClick={() => onFix(name, value)}>
      {value === "" ? `Leave ${name} empty` : `Set ${name} to ${value}`}
    </Button>
  );
}

function describeTime({ engine }: Draft, secs: number | null): string {
  if (secs !== null) return `about ${formatDuration(secs)}`;
  return engine === "simulator" ? "as fast as it can" : "known once it runs";
}

function Command({ draft, host_name }: { draft: Draft; host_name: string }) {
  const spec = toSpec(draft);
  const module = `sightline_trainer.${draft.engine === "simulator" ? "sim" : draft.engine}`;
  const text = `python3 -m ${module}\n\n# spec.json in the run directory\n${JSON.stringify(spec, null, 2)}`;
  return (
    <section aria-label="Command" className={classes.command}>
      <h2 className={classes.heading}>
        Started on {draft.host_id === "local" ? "this machine" : host_name}
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button size="compact-xs" variant="subtle" color="gray" onClick={copy}>
              {copied ? "Copied" : "Copy"}
            </Button>
          )}
        </CopyButton>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}
