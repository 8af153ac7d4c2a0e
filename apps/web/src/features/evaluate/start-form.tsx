import { Button, Select, TextInput } from "@mantine/core";
import type { Evaluation } from "@sightline/core/evaluations";
import { formatNumberOf } from "@sightline/core/format";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import { usePicked, useReasoners } from "../../app/reasoners/reasoners.ts";
import classes from "./evaluate.module.css";
import { CheckpointFields, HostPlanLine, HubFields } from "./host-fields.tsx";
import { refreshEvaluations } from "./use-evaluations.ts";
import { type ModelKind, useHostChoice } from "./use-host-choice.ts";
import { workHere } from "./work-here.ts";

type Side = NonNullable<Evaluation["side"]>;

const KINDS: Record<ModelKind, string> = {
  reasoner: "Endpoint or browser",
  checkpoint: "Checkpoint of a run",
  hub: "Model on a host",
};

/** A question set and what is asked: a reasoner with a judge, or a model on a host; starts an evaluation. */
export function StartForm({ onStarted }: { onStarted(evaluation_id: string): void }) {
  const sets = useQuery(trpc.questions.sets.queryOptions({ trash: false }));
  const reasoners = useReasoners();
  const [choice, pick] = usePicked(reasoners.choices);
  const [set_id, setSet] = useState<string | null>(null);
  const [side, setSide] = useState<Side | null>(null);
  const [has_judge, setJudge] = useState("itself");
  const [name, setName] = useState("");
  const set = sets.data?.find((one) => one.set_id === set_id) ?? sets.data?.[0] ?? null;
  const [kind, setKind] = useState<ModelKind>("reasoner");
  const on_host = useHostChoice(kind);
  const asked = kind === "reasoner" ? (choice?.label ?? "") : on_host.label;
  const proposed = set && asked !== "" ? `${set.name} · ${asked}` : "";
  const startOnHost = useMutation(
    trpc.evaluations.startOnHost.mutationOptions({
      onSuccess(evaluation) {
        setName("");
        void refreshEvaluations();
        onStarted(evaluation.evaluation_id);
      },
    }),
  );
  const start = useMutation(
    trpc.evaluations.start.mutationOptions({
      onSuccess(evaluation) {
        if (choice?.kind === "policy") workHere(evaluation, choice);
        setName("");
        void refreshEvaluations();
        onStarted(evaluation.evaluation_id);
      },
    }),
  );
  /** Of another choice they say nothing. */
  const forgetProblems = () => {
    start.reset();
    startOnHost.reset();
  };
  if (sets.data?.length === 0)
    return (
      <p className={classes.hint}>
        There is no question yet. <Link to="/questions">Import a set</Link>, or write a question on a clip.
      </p>
    );
  return (
    <form
      className={classes.form}
      aria-label="Start an evaluation"
      onSubmit={(event) => {
        event.preventDefault();
        if (set === null) return;
        const common = {
          name: name.trim() === "" ? proposed : name,
          set_id: set.set_id,
          side: set.split === null ? null : side,
        };
        if (on_host.choice !== null) startOnHost.mutate({ ...common, model: on_host.choice });
        if (kind !== "reasoner" || choice === null) return;
        start.mutate({
          ...common,
          reasoner: choice.reasoner,
          judge: choice.kind === "endpoint" && has_judge === "itself" ? choice.reasoner : null,
        });
      }}
    >
      <Select
        size="xs"
        label="Questions"
        data={(sets.data ?? []).map((one) => ({
          value: one.set_id,
          label: `${one.name} · ${formatNumberOf(one.questions, "question")}, ${one.matches.matched} on clips`,
        }))}
        value={set?.set_id ?? null}
        onChange={(next) => {
          setSet(next);
          forgetProblems();
        }}
        allowDeselect={false}
        className={classes.wide}
      />
      {set?.split != null && (
        <Select
          size="xs"
          w={110}
          label="Side"
          data={["train", "val", "test"]}
          value={side}
          onChange={(value) => setSide(value as Side | null)}
          placeholder="All"
          clearable
        />
      )}
      <Select
        size="xs"
        w={165}
        label="Model"
        data={(["reasoner", "checkpoint", "hub"] as const).map((value) => ({ value, label: KINDS[value] }))}
        value={kind}
        onChange={(value) => {
          setKind(value as ModelKind);
          forgetProblems();
        }}
        allowDeselect={false}
      />
      {kind === "checkpoint" && <CheckpointFields {...on_host} />}
      {kind === "hub" && <HubFields {...on_host} />}
      {kind === "reasoner" && (
        <Select
          size="xs"
          label="Reasoner"
          placeholder={reasoners.is_pending ? "Looking …" : "No reasoner yet"}
          data={reasoners.choices.map(({ key, label, about }) => ({
            value: key,
            label: `${label} · ${about}`,
          }))}
          value={choice?.key ?? null}
          onChange={(key) => key !== null && pick(key)}
          allowDeselect={false}
          className={classes.wide}
        />
      )}
      {kind === "reasoner" && choice?.kind === "endpoint" && (
        <Select
          size="xs"
          w={120}
          label="Judge"
          data={[
            { value: "itself", label: "Itself" },
            { value: "none", label: "No judge" },
          ]}
          value={has_judge}
          onChange={(value) => setJudge(value ?? "itself")}
          allowDeselect={false}
        />
      )}
      <TextInput
        size="xs"
        label="Name"
        placeholder={proposed}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        className={classes.wide}
      />
      <Button
        size="xs"
        type="submit"
        loading={start.isPending || startOnHost.isPending}
        disabled={set === null || (kind === "reasoner" ? choice : on_host.choice) === null}
      >
        Evaluate
      </Button>
      {kind !== "reasoner" && set !== null && (
        <HostPlanLine
          set_id={set.set_id}
          side={set.split === null ? null : side}
          choice={on_host.choice}
          problem={on_host.problem}
        />
      )}
      {[start.error, startOnHost.error].map(
        (error) =>
          error !== null && (
            <p key={error.message} className={classes.problem} role="alert">
              {error.message}
            </p>
          ),
      )}
      {kind === "reasoner" && !reasoners.is_pending && reasoners.choices.length === 0 && (
        <p className={classes.hint}>
          Nobody to ask yet: <Link to="/runs/launch">launch a run</Link> that exports a policy, or{" "}
          <Link to="/settings">add an endpoint or a model from the hub</Link>.
        </p>
      )}
    </form>
  );
}
