import { Button } from "@mantine/core";
import { HOST_CHECKS, type HostCheck, type HostSummary } from "@sightline/core/hosts";
import { StatusMark, type Tone } from "@sightline/ui/status";
import { IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { client } from "../../app/clients.ts";
import classes from "./doctor.module.css";
import { CHECK_NAMES } from "./words.ts";

const TONES: Record<HostCheck["state"], Tone> = { ok: "done", warn: "part", fail: "wrong", unknown: "quiet" };
const WORDS: Record<HostCheck["state"], string> = {
  ok: "in order",
  warn: "with a drawback",
  fail: "in the way of runs",
  unknown: "not known",
};

/** Everything that a doctor looks at on a host, what it found, and how to mend what is wrong. */
export function Doctor({ host }: { host: HostSummary }) {
  const look = useQuery({
    queryKey: ["hosts", "doctor", host.host_id],
    queryFn: () => client.hosts.doctor.mutate({ host_id: host.host_id }),
    staleTime: 60_000,
    retry: false,
  });
  const checks = look.data;
  const failed = checks?.filter(({ state }) => state === "fail").length ?? 0;
  return (
    <section className={classes.doctor} aria-label="Doctor">
      <header className={classes.head}>
        <h3 className={classes.title}>Doctor</h3>
        <span className={classes.summary} role="status">
          {look.isFetching ? "Looking …" : checks === undefined ? "" : summarise(failed)}
        </span>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconRefresh size={13} stroke={1.7} />}
          loading={look.isFetching}
          onClick={() => void look.refetch()}
        >
          Look again
        </Button>
      </header>
      {look.isError && (
        <p className={classes.error} role="alert">
          {look.error.message}
        </p>
      )}
      <ol className={classes.checks} data-looking={look.isFetching || undefined}>
        {checks === undefined
          ? HOST_CHECKS.map((id) => (
              <li key={id} className={classes.check}>
                <StatusMark tone="busy" />
                <span className={classes.name}>{CHECK_NAMES[id]}</span>
              </li>
            ))
          : checks.map((check, index) => <Check key={check.id} check={check} index={index} />)}
      </ol>
    </section>
  );
}

function Check({ check: { id, state, says, mend }, index }: { check: HostCheck; index: number }) {
  return (
    <li
      className={classes.check}
      data-check={id}
      data-state={state}
      style={{ animationDelay: `${index * 60}ms` }}
    >
      <StatusMark tone={TONES[state]} />
      <span className={classes.name} title={WORDS[state]}>
        {CHECK_NAMES[id]}
        <span className={classes.hidden}>, {WORDS[state]}</span>
      </span>
      <span className={classes.says}>
        {says}
        {mend !== null && <span className={classes.mend}>{mend}</span>}
      </span>
    </li>
  );
}

function summarise(failed: number): string {
  if (failed === 0) return "Nothing is in the way of runs.";
  return failed === 1 ? "One thing is in the way of runs." : `${failed} things are in the way of runs.`;
}
