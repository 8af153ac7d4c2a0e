import { Button, Select, TextInput } from "@mantine/core";
import type { Evaluation } from "@sightline/core/evaluations";
import { formatNumberOf } from "@sightline/core/format";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import { usePicked, useReasoners } from "../../app/reasoners/reasoners.ts";
import classes from "./evaluate.module.css";
import { refreshEvaluations } from "./use-evaluations.ts";
import { workHere } from "./work-here.ts";

type Side = NonNullable<Evaluation["side"]>;

/** A question set, a reasoner, a judge; starts an evaluation. */
export function StartForm({ onStarted }: { onStarted(evaluation_id: string): void }) {
  const sets = useQuery(trpc.questions.sets.queryOptions({ trash: false }));
  const reasoners = useReasoners();
  const [choice, pick] = usePicked(reasoners.choices);
  const [set_id, setSet] = useState<string | null>(null);
  const [side, setSide] = useState<Side | null>(null);
  const [has_judge, setJudge] = useState("itself");
  const [name, setName] = useState("");
  const set = sets.data?.find((one) => one.set_id === set_id) ?? sets.data?.[0] ?? null;
  const proposed = set && choice ? `${set.name} · ${choice.label}` : "";
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
        if (set === null || choice === null) return;
        start.mutate({
          name: name.trim() === "" ? proposed : name,
          set_id: set.set_id,
          side: set.split === null ? null : side,
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
        onChange={setSet}
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
      {choice?.kind === "endpoint" && (
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
      <Button size="xs" type="submit" loading={start.isPending} disabled={set === null || choice === null}>
        Evaluate
      </Button>
      {start.isError && <p className={classes.problem}>{start.error.message}</p>}
      {!reasoners.is_pending && reasoners.choices.length === 0 && (
        <p className={classes.hint}>
          Nobody to ask yet: <Link to="/runs/launch">launch a run</Link> that exports a policy, or{" "}
          <Link to="/settings">add an endpoint or a model from the hub</Link>.
        </p>
      )}
    </form>
  );
}
