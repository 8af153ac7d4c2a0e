import { Select, TextInput } from "@mantine/core";
import type { ClipMatch, QuestionSet } from "@sightline/core/benchmarks";
import { formatCount } from "@sightline/core/format";
import { IconSearch } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { useKeys } from "../../app/keys.ts";
import { useTypedText } from "../../app/typed-text.ts";
import classes from "./filters.module.css";
import { MATCHES } from "./match-bar.tsx";

const route = getRouteApi("/questions/$setId");

type Search = ReturnType<typeof route.useSearch>;

/** Which of the set's questions are listed; all of it stands in the address. */
export function Filters({ set }: { set: QuestionSet }) {
  const { q = "", task, match, side, trash = false } = route.useSearch();
  const navigate = useNavigate({ from: "/questions/$setId" });
  const field = useRef<HTMLInputElement>(null);
  const change = (fields: Partial<Search>) =>
    void navigate({ search: (now) => ({ ...now, ...fields }), replace: true });
  const typed = useTypedText(q, (text) => change({ q: text || undefined }));
  useKeys("Set of questions", [{ key: "/", label: "Filter", run: () => field.current?.focus() }]);
  return (
    <div className={classes.filters}>
      <TextInput
        ref={field}
        size="xs"
        className={classes.words}
        placeholder="Text, option, id or clip"
        aria-label="Filter the questions"
        leftSection={<IconSearch size={14} stroke={1.7} />}
        {...typed}
      />
      <Select
        size="xs"
        w={190}
        aria-label="Task"
        placeholder="All tasks"
        clearable
        searchable
        data={set.tasks.map(({ task: value, questions }) => ({
          value,
          label: `${value} (${formatCount(questions)})`,
        }))}
        value={task ?? null}
        onChange={(value) => change({ task: value ?? undefined })}
      />
      <Select
        size="xs"
        w={130}
        aria-label="Clip"
        placeholder="Any clip"
        clearable
        data={(Object.keys(MATCHES) as ClipMatch[]).map((value) => ({ value, label: MATCHES[value].label }))}
        value={match ?? null}
        onChange={(value) => change({ match: (value as ClipMatch | null) ?? undefined })}
      />
      {set.split !== null && (
        <Select
          size="xs"
          w={110}
          aria-label="Side of the split"
          placeholder="Any side"
          clearable
          data={["train", "val", "test"]}
          value={side ?? null}
          onChange={(value) => change({ side: (value as Search["side"] | null) ?? undefined })}
        />
      )}
      <Select
        size="xs"
        w={110}
        aria-label="Kept or in the trash"
        allowDeselect={false}
        data={[
          { value: "kept", label: "Kept" },
          { value: "trash", label: "Trash" },
        ]}
        value={trash ? "trash" : "kept"}
        onChange={(value) => change({ trash: value === "trash" ? true : undefined })}
      />
    </div>
  );
}
