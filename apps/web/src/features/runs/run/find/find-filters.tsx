import { NumberInput, Select, TextInput } from "@mantine/core";
import { type FindFilter, FLAGS, type Flag } from "@sightline/core/find";
import { LINK_NAMES, LINKS } from "@sightline/core/links";
import { type RunSeries, stageBands } from "@sightline/core/runs";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { trpc } from "../../../../app/clients.ts";
import classes from "./find.module.css";

const TYPING_MS = 250;

const FLAG_WORDS: Record<Flag, string> = {
  clipped: "cut at the longest length",
  tag_missing: "a tag is missing",
  tag_doubled: "a tag is doubled",
  tag_out_of_order: "tags out of order",
  judge_failed: "judge failed",
  zero_signal: "group without a signal",
};
const PART_VALUES = [
  ["full", "1"],
  ["part", "between 0 and 1"],
  ["none", "0"],
  ["unscored", "not scored"],
] as const;
const JUDGE_WORDS = [
  ["agrees", "judge agrees"],
  ["disagrees", "judge disagrees"],
  ["failed", "judge failed"],
  ["none", "not judged"],
] as const;

const BROKEN = [
  ...LINKS.map((link) => ({ value: link, label: `broke at: ${LINK_NAMES[link]}` })),
  { value: "none", label: "wrong, no link found broken" },
];

/** A chosen filter is as wide as its words: what is asked must be read at a glance. */
const getWidth = (label: string | undefined) =>
  label === undefined ? undefined : `min(calc(${label.length}ch + 62px), 100%)`;

type Props = {
  series: RunSeries;
  run_id: string;
  filter: FindFilter;
  onChange: (filter: FindFilter) => void;
};

/** Everything that can be asked, one row; what a run never had is not offered. */
export function FindFilters({ series, run_id, filter, onChange }: Props) {
  const offered = useMemo(() => listOffered(series), [series]);
  const tags = useQuery(trpc.find.tags.queryOptions({ run_id })).data ?? [];
  const pick = <K extends keyof FindFilter>(name: K, value: FindFilter[K] | null) =>
    onChange({ ...filter, [name]: value ?? undefined });
  const choose = <K extends keyof FindFilter>(
    name: K,
    label: string,
    data: { value: string; label: string }[],
    read: (value: string) => FindFilter[K] = (value) => value as FindFilter[K],
  ) => (
    <Select
      size="xs"
      className={classes.choice}
      aria-label={label}
      placeholder={label}
      clearable
      clearButtonProps={{ "aria-label": `Any ${label.toLowerCase()}` }}
      comboboxProps={{ width: "max-content", position: "bottom-start" }}
      data={data}
      data-chosen={filter[name] !== undefined || undefined}
      style={{ width: getWidth(data.find(({ value }) => value === String(filter[name]))?.label) }}
      value={filter[name] === undefined ? null : String(filter[name])}
      onChange={(value) => pick(name, value === null ? null : read(value))}
    />
  );
  const parts = (name: string) => PART_VALUES.map(([value, label]) => ({ value, label: `${name} ${label}` }));
  return (
    <search className={classes.filters} aria-label="Find completions">
      <Words value={filter.words ?? ""} onChange={(words) => pick("words", words)} />
      {filter.question !== undefined &&
        choose("question", "Question", [{ value: filter.question, label: filter.question }])}
      {choose("task", "Task", offered.tasks)}
      {choose("stage", "Stage", offered.stages, Number)}
      {choose("accuracy", "Accuracy", parts("accuracy"))}
      {choose("format", "Format", parts("format"))}
      {choose("consistency", "Consistency", parts("consistency"))}
      {choose(
        "judge",
        "Judge",
        JUDGE_WORDS.map(([value, label]) => ({ value, label })),
      )}
      {choose("rule", "Read by", offered.rules)}
      {/* A Select takes no empty value, and a letter that was not read is one. */}
      <Select
        size="xs"
        className={classes.choice}
        aria-label="Letter"
        placeholder="Letter"
        clearable
        clearButtonProps={{ "aria-label": "Any letter" }}
        comboboxProps={{ width: "max-content", position: "bottom-start" }}
        data={offered.letters}
        data-chosen={filter.letter !== undefined || undefined}
        value={filter.letter === undefined ? null : filter.letter === "" ? NO_LETTER : filter.letter}
        onChange={(value) => pick("letter", value === NO_LETTER ? "" : value)}
      />
      {choose(
        "flag",
        "Flag",
        FLAGS.map((value) => ({ value, label: FLAG_WORDS[value] })),
      )}
      {choose("broken", "Broken link", BROKEN)}
      <Length label="Shortest" value={filter.shortest} onChange={(value) => pick("shortest", value)} />
      <Length label="Longest" value={filter.longest} onChange={(value) => pick("longest", value)} />
      {choose("split", "Split", [
        { value: "train", label: "training" },
        { value: "eval", label: "held out" },
      ])}
      {tags.length > 0 &&
        choose(
          "tag",
          "Tag",
          tags.map(({ text, n }) => ({ value: text, label: `${text} (${n})` })),
        )}
    </search>
  );
}

const NO_LETTER = "none";

/** The search field; it asks a moment after the last key, or on Enter at once. */
function Words({ value, onChange }: { value: string; onChange: (words: string | null) => void }) {
  const [typed, setTyped] = useState(value);
  /** Asked for here and not yet in the address: when they come, more may have been typed. */
  const mine = useRef<string[]>([]);
  useEffect(() => {
    const at = mine.current.indexOf(value);
    mine.current = at < 0 ? [] : mine.current.slice(at + 1);
    if (at < 0) setTyped(value);
  }, [value]);
  const ask = () => {
    const words = typed.trim();
    if (words === (mine.current.at(-1) ?? value)) return;
    mine.current.push(words);
    onChange(words === "" ? null : words);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the clock
  useEffect(() => {
    const timer = setTimeout(ask, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <TextInput
      size="xs"
      className={classes.words}
      leftSection={<IconSearch size={13} stroke={1.7} />}
      aria-label="Words in the text"
      placeholder={'words, "a phrase", start*, -without'}
      value={typed}
      autoFocus
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") ask();
      }}
    />
  );
}

function Length({
  label,
  value,
  onChange,
}: {
  label: string;
  value: number | undefined;
  onChange: (value: number | null) => void;
}) {
  return (
    <NumberInput
      size="xs"
      className={classes.length}
      aria-label={`${label}, in tokens`}
      placeholder={label === "Shortest" ? "≥ tokens" : "≤ tokens"}
      min={0}
      max={10_000_000}
      allowDecimal={false}
      hideControls
      value={value ?? ""}
      onChange={(next) => onChange(next === "" ? null : Math.max(0, Math.floor(Number(next))))}
    />
  );
}

/** What the run's own tallies offer to choose from, the most frequent first. */
function listOffered(series: RunSeries) {
  const sums = {
    tasks: new Map<string, number>(),
    rules: new Map<string, number>(),
    letters: new Map<string, number>(),
  };
  const add = (map: Map<string, number>, name: string, n: number) => map.set(name, (map.get(name) ?? 0) + n);
  for (const tally of series.tallies) {
    for (const [task, { n }] of Object.entries(tally.tasks)) add(sums.tasks, task, n);
    for (const [rule, n] of Object.entries(tally.rules)) add(sums.rules, rule, n);
    for (const [letter, n] of Object.entries(tally.letters)) add(sums.letters, letter, n);
  }
  const list = (map: Map<string, number>) =>
    [...map]
      .sort((a, b) => b[1] - a[1])
      .map(([value, n]) => ({
        value,
        label: `${value.replaceAll("_", " ")} (${n.toLocaleString("en")})`,
      }));
  return {
    tasks: list(sums.tasks),
    rules: list(sums.rules).filter(({ value }) => value !== ""),
    letters: list(sums.letters)
      .map(({ value, label }) =>
        value === "" ? { value: NO_LETTER, label: `none${label}` } : { value, label },
      )
      .sort((a, b) => a.value.localeCompare(b.value)),
    stages: stageBands(series).map(({ index, name }) => ({ value: String(index), label: name })),
  };
}
