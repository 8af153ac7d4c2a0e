import { MultiSelect, Select, TextInput } from "@mantine/core";
import classes from "./launch-page.module.css";
import type { Draft } from "./preflight.ts";

const VARIANTS = [
  { value: "paper", label: "paper: right, and the judge says so" },
  { value: "unconditional", label: "unconditional: the judge says the same" },
  { value: "letter_stripped", label: "letter-stripped: paper, its conclusion unseen" },
];
const AGGREGATIONS = [
  { value: "sum_then_normalize", label: "summed, then by group" },
  { value: "normalize_then_sum", label: "each by group, then summed" },
];

/** Who judges a GRPO run, what counts as consistent, and how rewards become advantages. */
export function MethodFields({
  draft: { settings },
  onSet,
}: {
  draft: Draft;
  onSet: (name: string, value: string | null) => void;
}) {
  const say = (name: string) => String(settings[name] ?? "");
  return (
    <div className={classes.method}>
      <MultiSelect
        size="xs"
        label="Judge variants"
        description="Each is asked and shown; the first one pays"
        data={VARIANTS}
        value={(say("judge_variants") || "paper").split(",").map((name) => name.trim())}
        onChange={(names) => onSet("judge_variants", names.length === 0 ? null : names.join(", "))}
        renderOption={({ option }) => option.label}
      />
      <Select
        size="xs"
        label="Advantages"
        description="How several rewards become one"
        data={AGGREGATIONS}
        value={say("multi_objective_aggregation") || "sum_then_normalize"}
        onChange={(name) => onSet("multi_objective_aggregation", name)}
        allowDeselect={false}
      />
      <TextInput
        size="xs"
        label="Judge's address"
        description="OpenAI-compatible; empty: the reference model, in the trainer"
        placeholder="http://127.0.0.1:8000/v1"
        value={say("judge_url")}
        onChange={(event) => onSet("judge_url", event.currentTarget.value || null)}
      />
      <TextInput
        size="xs"
        label="Judge's model"
        description="Its name behind that address"
        disabled={say("judge_url") === ""}
        value={say("judge_model")}
        onChange={(event) => onSet("judge_model", event.currentTarget.value || null)}
      />
    </div>
  );
}
