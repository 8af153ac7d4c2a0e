import { MultiSelect, Select, TextInput } from "@mantine/core";
import {
  ALERT_KIND_NAMES,
  ALERT_KINDS,
  type AlertRule,
  findParamFaults,
  readParam,
} from "@sightline/core/alerts";
import { NumberField } from "@sightline/ui/number-field";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../app/clients.ts";
import { useRuns } from "../../app/runs.ts";
import classes from "./alerts.module.css";

const KINDS = ALERT_KIND_NAMES.map((kind) => ({ value: kind, label: ALERT_KINDS[kind].title }));
const SCOPES = [
  { value: "all", label: "All runs" },
  { value: "preset", label: "Runs of a preset" },
  { value: "run", label: "One run" },
];

/** What a rule looks for, in which runs, and who is told. */
export function RuleForm({ rule, onChange }: { rule: AlertRule; onChange: (rule: AlertRule) => void }) {
  const runs = useRuns().data ?? [];
  const receivers = useQuery(trpc.alerts.webhooks.queryOptions()).data?.webhooks ?? [];
  const presets = [...new Set(runs.map(({ preset }) => preset))].sort();
  const { scope } = rule;
  const faults = findParamFaults(rule.kind, rule.params);
  const setKind = (value: string | null) => {
    const kind = ALERT_KIND_NAMES.find((one) => one === value);
    if (kind === undefined) return;
    const isOwnName = rule.name !== ALERT_KINDS[rule.kind].title;
    onChange({ ...rule, kind, params: {}, name: isOwnName ? rule.name : ALERT_KINDS[kind].title });
  };
  const setScope = (value: string | null) => {
    const [preset = "", run_id = ""] = [presets[0], runs[0]?.run_id];
    if (value === "preset") onChange({ ...rule, scope: { kind: "preset", preset } });
    else if (value === "run") onChange({ ...rule, scope: { kind: "run", run_id } });
    else onChange({ ...rule, scope: { kind: "all" } });
  };
  return (
    <>
      <Select
        size="xs"
        label="Cause"
        allowDeselect={false}
        data={KINDS}
        value={rule.kind}
        onChange={setKind}
      />
      <p className={classes.summary}>{ALERT_KINDS[rule.kind].summary}</p>
      <div className={classes.params}>
        {ALERT_KINDS[rule.kind].params.map(({ name, label, help, min, max, step, is_whole }) => (
          <NumberField
            key={`${rule.kind} ${name}`}
            size="xs"
            label={label}
            description={help}
            inputWrapperOrder={["label", "input", "description"]}
            value={readParam(rule, name)}
            min={min}
            max={max}
            step={step}
            allowDecimal={!is_whole}
            clampBehavior="none"
            onChange={(value) => {
              const { [name]: _, ...rest } = rule.params;
              onChange({ ...rule, params: value === null ? rest : { ...rest, [name]: value } });
            }}
          />
        ))}
      </div>
      {faults.map((fault) => (
        <p key={fault} className={classes.problem} role="alert">
          {fault}
        </p>
      ))}
      <Select
        size="xs"
        label="Looks at"
        allowDeselect={false}
        data={SCOPES}
        value={scope.kind}
        onChange={setScope}
      />
      {scope.kind === "preset" && (
        <Select
          size="xs"
          label="Preset"
          searchable
          allowDeselect={false}
          data={presets}
          value={scope.preset}
          onChange={(preset) => preset && onChange({ ...rule, scope: { kind: "preset", preset } })}
        />
      )}
      {scope.kind === "run" && (
        <Select
          size="xs"
          label="Run"
          searchable
          allowDeselect={false}
          data={runs.map(({ run_id, name }) => ({ value: run_id, label: name }))}
          value={scope.run_id}
          onChange={(run_id) => run_id && onChange({ ...rule, scope: { kind: "run", run_id } })}
        />
      )}
      <TextInput
        size="xs"
        label="Name"
        required
        maxLength={100}
        value={rule.name}
        onChange={(event) => onChange({ ...rule, name: event.currentTarget.value })}
      />
      <MultiSelect
        size="xs"
        label="Receivers"
        description={receivers.length === 0 ? "None yet: add one under Alerts → Receivers" : undefined}
        placeholder={receivers.length === 0 ? "Shown in the page alone" : undefined}
        disabled={receivers.length === 0}
        data={receivers.map(({ webhook_id, name }) => ({ value: webhook_id, label: name }))}
        value={rule.webhook_ids}
        onChange={(webhook_ids) => onChange({ ...rule, webhook_ids })}
      />
    </>
  );
}
