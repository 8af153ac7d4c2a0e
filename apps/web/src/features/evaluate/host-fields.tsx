import { Button, NumberInput, Select, TextInput } from "@mantine/core";
import type { Evaluation, HostChoice } from "@sightline/core/evaluations";
import { formatNumberOf } from "@sightline/core/format";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { skipToken, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import classes from "./evaluate.module.css";
import type { HostChoiceState } from "./use-host-choice.ts";

/** A run, and one of its checkpoints. */
export function CheckpointFields({ runs, run, pickRun, checkpoints, checkpoint, pickStep }: HostChoiceState) {
  return (
    <>
      <Select
        size="xs"
        label="Run"
        placeholder="No run yet"
        data={runs.map(({ run_id, name }) => ({ value: run_id, label: name }))}
        value={run?.run_id ?? null}
        onChange={pickRun}
        allowDeselect={false}
        searchable
        className={classes.wide}
      />
      <Select
        size="xs"
        w={130}
        label="Checkpoint"
        placeholder="None"
        data={checkpoints.map(({ step }) => ({ value: String(step), label: `step ${step}` }))}
        value={checkpoint === null ? null : String(checkpoint.step)}
        onChange={pickStep}
        allowDeselect={false}
      />
    </>
  );
}

/** A host, a model that it has fetched, and how long its answers may be. */
export function HubFields(state: HostChoiceState) {
  const { hosts, host, pickHost, model, setModel, max_tokens, setMaxTokens } = state;
  const [is_open, setOpen] = useState(false);
  return (
    <>
      <Select
        size="xs"
        w={150}
        label="Host"
        data={hosts.map(({ host_id, name }) => ({ value: host_id, label: name }))}
        value={host?.host_id ?? null}
        onChange={pickHost}
        allowDeselect={false}
      />
      <TextInput
        size="xs"
        label="Model on it"
        placeholder="OWNER/NAME, or a folder there"
        title="A hub id that the host has fetched with hf download, or a folder there in Hugging Face's layout"
        value={model}
        onChange={(event) => setModel(event.currentTarget.value)}
        className={classes.wide}
      />
      <Button
        variant="subtle"
        size="xs"
        px={6}
        color="gray"
        aria-expanded={is_open}
        leftSection={is_open ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        onClick={() => setOpen(!is_open)}
      >
        More
      </Button>
      {is_open && (
        <NumberInput
          size="xs"
          w={130}
          label="Longest answer"
          title="Tokens that an answer may have at most (max_completion_tokens); what is longer is cut"
          value={max_tokens ?? ""}
          min={1}
          max={200_000}
          clampBehavior="strict"
          allowDecimal={false}
          onChange={(value) => setMaxTokens(typeof value === "number" && value >= 1 ? value : null)}
        />
      )}
    </>
  );
}

/** What of the set can be asked, before anything begins; or why nothing can. */
export function HostPlanLine({
  set_id,
  side,
  choice,
  problem,
}: {
  set_id: string;
  side: Evaluation["side"];
  choice: HostChoice | null;
  problem: string | null;
}) {
  const plan = useQuery({
    ...trpc.evaluations.planOnHost.queryOptions(
      choice === null ? skipToken : { set_id, side, model: choice },
    ),
    retry: false,
  });
  if (problem !== null) return <p className={classes.hint}>{problem}</p>;
  if (plan.isError && choice?.kind === "checkpoint")
    return <p className={classes.problem}>{plan.error.message}</p>;
  if (choice === null || plan.data === undefined) return null;
  const { questions, set_aside } = plan.data;
  return (
    <p className={classes.plan} role="status">
      {questions === 0
        ? "No question can be asked"
        : `${formatNumberOf(questions, "question")} will be asked`}
      {set_aside.length > 0 && `; set aside: ${set_aside.join(", ")}`}.
      {set_aside.some((one) => one.includes("triples")) && (
        <>
          {" "}
          Triples are made on a clip's page, or for many at once in the{" "}
          <Link to="/library" className={classes.link}>
            library
          </Link>
          .
        </>
      )}
    </p>
  );
}
