import { ActionIcon, Button, Checkbox, Collapse, NumberInput, Select } from "@mantine/core";
import { NumberField } from "@sightline/ui/number-field";
import { IconChevronDown, IconChevronRight, IconX } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { FAULTS, type Fault, formatFaults, parseFaults } from "./faults.ts";
import { FIELDS, type Field, getNumber } from "./fields.ts";
import classes from "./launch-page.module.css";
import { MethodFields } from "./method-fields.tsx";
import { type Draft, getMaxRetries } from "./preflight.ts";

type OnSet = (name: string, value: string | number | null) => void;

/** The engine's settings; the rarer ones and the faults are folded away. */
export function SettingsForm({
  draft,
  onSet,
  onRetries,
}: {
  draft: Draft;
  onSet: OnSet;
  onRetries: (max_retries: number) => void;
}) {
  const { main, rest } = FIELDS[draft.engine];
  const faults = String(draft.settings.faults ?? "");
  const [isOpen, setOpen] = useState(false);
  const isShown = isOpen || faults !== "";
  return (
    <section aria-label="Settings">
      <h2 className={classes.heading}>Settings</h2>
      <Fields fields={main} draft={draft} onSet={onSet}>
        <NumberInput
          size="xs"
          label="Tries by itself"
          title="Automatic attempts after a reboot, a kill, full memory or a loss that is no number; 0: a person resumes (max_retries)"
          value={getMaxRetries(draft)}
          min={0}
          max={20}
          allowDecimal={false}
          onChange={(value) => onRetries(typeof value === "number" ? value : 0)}
        />
      </Fields>
      <Button
        variant="subtle"
        size="compact-xs"
        color="gray"
        mt="sm"
        aria-expanded={isShown}
        leftSection={isShown ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        onClick={() => setOpen(!isShown)}
      >
        {draft.engine === "simulator" ? "More, and faults on demand" : "More"}
      </Button>
      <Collapse expanded={isShown}>
        <div className={classes.more}>
          <Fields fields={rest} draft={draft} onSet={onSet} />
          {draft.engine === "grpo" && <MethodFields draft={draft} onSet={onSet} />}
          {draft.engine === "simulator" && <Faults text={faults} onSet={onSet} />}
        </div>
      </Collapse>
    </section>
  );
}

function Fields({
  fields,
  draft,
  onSet,
  children,
}: {
  fields: readonly Field[];
  draft: Draft;
  onSet: OnSet;
  children?: ReactNode;
}) {
  return (
    <div className={classes.fields}>
      {fields.map((field) => (
        <NumberField
          key={field.name}
          size="xs"
          label={field.label}
          title={`${field.help} (${field.name})`}
          value={getNumber(draft.settings, field)}
          min={field.min}
          max={field.max}
          step={field.step}
          allowDecimal={!field.is_whole}
          clampBehavior="none"
          onChange={(value) => onSet(field.name, value)}
        />
      ))}
      {children}
    </div>
  );
}

const FAULT_CHOICES = Object.entries(FAULTS).map(([value, label]) => ({ value, label }));

function Faults({ text, onSet }: { text: string; onSet: OnSet }) {
  const { faults } = parseFaults(text);
  const put = (next: readonly Fault[]) => onSet("faults", next.length === 0 ? null : formatFaults(next));
  const [name, setName] = useState<string | null>("nan");
  const [step, setStep] = useState<number>(20);
  const [isEach, setEach] = useState(false);
  return (
    <fieldset className={classes.faults}>
      <legend>Faults on demand</legend>
      {faults.length > 0 && (
        <ul className={classes.faultList}>
          {faults.map((fault, index) => (
            <li key={formatFaults([fault])}>
              <span>
                {FAULTS[fault.name]}
                <span className={classes.quiet}> {describeWhen(fault)}</span>
              </span>
              <ActionIcon
                size="xs"
                variant="subtle"
                color="gray"
                aria-label={`Remove: ${FAULTS[fault.name]}`}
                onClick={() => put(faults.filter((_, k) => k !== index))}
              >
                <IconX size={13} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      <div className={classes.addFault}>
        <Select
          size="xs"
          label="Fault"
          searchable
          allowDeselect={false}
          value={name}
          comboboxProps={{ hideDetached: false }}
          data={FAULT_CHOICES}
          onChange={setName}
        />
        <NumberInput
          size="xs"
          label="At step"
          min={1}
          allowDecimal={false}
          value={step}
          onChange={(value) => setStep(typeof value === "number" ? value : 1)}
        />
        <Checkbox
          size="xs"
          label="after a resume, too"
          checked={isEach}
          onChange={(event) => setEach(event.currentTarget.checked)}
        />
        <Button
          size="xs"
          variant="default"
          disabled={name === null}
          onClick={() => {
            if (name === null) return;
            put([...faults, { name, step, to_step: null, secs: null, in_every_attempt: isEach }]);
          }}
        >
          Add
        </Button>
      </div>
    </fieldset>
  );
}

function describeWhen({ step, to_step, secs, in_every_attempt }: Fault): string {
  const parts = [
    step === null ? null : to_step === null ? `at step ${step}` : `at steps ${step} to ${to_step}`,
    secs === null ? null : `for ${secs} s`,
    in_every_attempt ? "in every attempt" : null,
  ];
  return parts.filter((part) => part !== null).join(", ");
}
