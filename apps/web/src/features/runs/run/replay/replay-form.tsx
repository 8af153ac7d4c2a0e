import { Button, Select, Textarea, TextInput } from "@mantine/core";
import { FACTS, FUNCTIONS, MAX_FORMULA, type Replay, type ReplayPlan } from "@sightline/core/replay";
import type { RunSpec } from "@sightline/core/runs";
import { parseRatio } from "@sightline/core/schedules";
import { REWARD_PARTS, type RewardWeights } from "@sightline/core/wire";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { trpc } from "../../../../app/clients.ts";
import { describePlan, RULES } from "./describe.ts";
import classes from "./replay.module.css";

/** The three parts alone; a person's own rewards keep their weights. */
const showRatio = (weights: RewardWeights) => REWARD_PARTS.map((part) => String(weights[part])).join(":");

type WeightsKind = "as_run" | "one" | "stages";

/** What is to be scored anew, and under which name it is kept. */
export function ReplayForm({
  run_id,
  spec,
  onStarted,
}: {
  run_id: string;
  spec: RunSpec | null;
  onStarted: (replay: Replay) => void;
}) {
  const [rules, setRules] = useState<ReplayPlan["rules"]>("as_run");
  const [kind, setKind] = useState<WeightsKind>("as_run");
  const [one, setOne] = useState("1:7:2");
  const [ownStages, setOwnStages] = useState<Record<number, string>>({});
  const [isFormula, setFormula] = useState(false);
  const [formula, setText] = useState("0.1 * format + 0.9 * accuracy");
  const [name, setName] = useState("");
  const stages = spec?.stages ?? [];

  const stageTexts = stages.map((stage, k) => ownStages[k] ?? showRatio(stage.weights));
  const texts = kind === "one" ? [one] : kind === "stages" ? stageTexts : [];
  const read = texts.map((text, k) => {
    const ratio = parseRatio(text);
    return ratio && kind === "stages" ? { ...stages[k]?.weights, ...ratio } : ratio;
  });
  const weights = kind === "as_run" ? null : read.filter((each): each is RewardWeights => each !== null);
  const isWeighed = weights === null || (weights.length === texts.length && weights.length > 0);
  // An address holds so much; the server says of a longer one that it is too long.
  const asked = useDeferredValue(formula.slice(0, MAX_FORMULA + 1));
  const check = useQuery({
    ...trpc.replay.check.queryOptions({ formula: asked }),
    enabled: isFormula,
    placeholderData: keepPreviousData,
  });
  const fault = isFormula ? (check.data ?? null) : null;
  const plan: ReplayPlan = { rules, weights, formula: isFormula ? formula : null };
  const proposed = describePlan(plan).slice(0, 200);

  const start = useMutation(
    trpc.replay.start.mutationOptions({
      onSuccess: (replay) => {
        setName("");
        onStarted(replay);
      },
    }),
  );
  return (
    <form
      className={classes.form}
      aria-label="Score anew"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWeighed && fault === null && !start.isPending)
          start.mutate({ run_id, name: name.trim() || proposed, plan });
      }}
    >
      <h2 className={classes.heading}>Score anew</h2>
      <Select
        size="xs"
        label="Parts"
        description="How format and accuracy are read from the text"
        data={Object.entries(RULES).map(([value, label]) => ({ value, label }))}
        value={rules}
        onChange={(value) => setRules((value as ReplayPlan["rules"] | null) ?? "as_run")}
        allowDeselect={false}
      />
      <Select
        size="xs"
        label="Weights"
        description="Format : accuracy : consistency; only the ratio counts"
        data={[
          { value: "as_run", label: "As they were in force" },
          { value: "one", label: "One ratio for the whole run" },
          { value: "stages", label: "One ratio for each stage", disabled: stages.length === 0 },
        ]}
        value={kind}
        onChange={(value) => setKind((value as WeightsKind | null) ?? "as_run")}
        allowDeselect={false}
      />
      {kind === "one" && (
        <TextInput
          size="xs"
          label="Ratio"
          value={one}
          aria-invalid={read[0] === null}
          onChange={(event) => setOne(event.currentTarget.value)}
        />
      )}
      {kind === "stages" &&
        stages.map((stage, k) => (
          <TextInput
            // biome-ignore lint/suspicious/noArrayIndexKey: a stage is known by its place
            key={k}
            size="xs"
            label={`Ratio of stage ${k + 1}, ${stage.name}`}
            value={stageTexts[k] ?? ""}
            aria-invalid={read[k] === null}
            onChange={(event) => {
              const text = event.currentTarget.value;
              setOwnStages((all) => ({ ...all, [k]: text }));
            }}
          />
        ))}
      {!isWeighed && (
        <p className={classes.problem} role="alert">
          A ratio is three numbers of 0 or more, not all 0: 1:7:2.
        </p>
      )}
      <Select
        size="xs"
        label="Reward"
        data={[
          { value: "weighted", label: "The weighted sum" },
          { value: "formula", label: "A formula of your own" },
        ]}
        value={isFormula ? "formula" : "weighted"}
        onChange={(value) => setFormula(value === "formula")}
        allowDeselect={false}
      />
      {isFormula && (
        <>
          <Textarea
            size="xs"
            label="Formula"
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            classNames={{ input: classes.code }}
            value={formula}
            aria-invalid={fault !== null}
            aria-describedby="formula-fault"
            onChange={(event) => setText(event.currentTarget.value)}
          />
          {fault !== null && (
            <p className={classes.place} id="formula-fault" role="alert">
              {fault.message}
              {asked.trim() !== "" && (
                <>
                  {" "}
                  At character {fault.from + 1}:{" "}
                  <code>
                    {asked.slice(Math.max(0, fault.from - 24), fault.from)}
                    <mark>{asked.slice(fault.from, fault.to) || "␣"}</mark>
                    {asked.slice(fault.to, fault.to + 12)}
                  </code>
                </>
              )}
            </p>
          )}
          <details className={classes.facts}>
            <summary>What can stand in a formula</summary>
            <dl>
              {Object.entries(FACTS).map(([fact, { says }]) => (
                <div key={fact}>
                  <dt>{fact}</dt>
                  <dd>{says}</dd>
                </div>
              ))}
            </dl>
            <p>
              + − * / % **, comparisons, &amp;&amp; || !, a ? b : c, and {Object.keys(FUNCTIONS).join(", ")}.
              What is counted with null is null; <code>consistency ?? 0</code> says what to take instead.
            </p>
          </details>
        </>
      )}
      <TextInput
        size="xs"
        label="Name"
        placeholder={proposed}
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {start.isError && (
        <p className={classes.problem} role="alert">
          {start.error.message}
        </p>
      )}
      <Button type="submit" size="xs" loading={start.isPending} disabled={!isWeighed || fault !== null}>
        Replay
      </Button>
    </form>
  );
}
