import { ActionIcon, Button, Menu } from "@mantine/core";
import type { QuestionSetSummary } from "@sightline/core/benchmarks";
import { formatAgo, formatCount, formatNumberOf } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import {
  IconDots,
  IconDownload,
  IconFileImport,
  IconHelpCircle,
  IconPlugConnectedX,
  IconRestore,
  IconTrash,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { trpc } from "../../app/clients.ts";
import { useKeys } from "../../app/keys.ts";
import { usePageTitle } from "../../app/page-title.ts";
import { undoQuestions, useFollowQuestions } from "../../app/questions/questions.ts";
import { downloadSet, restoreSet, trashSet } from "./commands.ts";
import { FileDrop } from "./file-drop.tsx";
import { Imports } from "./imports.tsx";
import { MatchBar } from "./match-bar.tsx";
import classes from "./sets-page.module.css";
import { pickQuestionFiles } from "./use-import.ts";

const route = getRouteApi("/questions");

const KINDS: Record<QuestionSetSummary["kind"], string> = {
  file: "file",
  sample: "sample",
  written: "written here",
};

/** The sets of questions: to import, open, throw away and bring back. */
export function QuestionsPage() {
  const { trash = false } = route.useSearch();
  usePageTitle("Questions", trash ? "Trash" : null);
  useFollowQuestions();
  const sets = useQuery(trpc.questions.sets.queryOptions({ trash }));
  useKeys("Questions", [
    { key: "i", label: "Import a file of questions", run: pickQuestionFiles },
    { key: "mod+z", label: "Take the last change back", run: () => void undoQuestions() },
  ]);
  return (
    <div className={classes.page}>
      <FileDrop />
      <header className={classes.bar}>
        <span className={classes.count}>{sets.data && formatNumberOf(sets.data.length, "set")}</span>
        <Button
          renderRoot={(props) => (
            <Link to="/questions" search={{ trash: trash ? undefined : true }} {...props} />
          )}
          ml="auto"
          size="xs"
          variant="subtle"
          color="gray"
          leftSection={<IconTrash size={14} stroke={1.7} />}
        >
          {trash ? "Back to the questions" : "Trash"}
        </Button>
        {!trash && <ImportButton />}
      </header>
      <Imports />
      <div className={classes.scroll}>
        {sets.isError ? (
          <EmptyState
            icon={<IconPlugConnectedX size={30} stroke={1.4} />}
            title="The questions could not be read"
            actions={<Button onClick={() => void sets.refetch()}>Try again</Button>}
          >
            {sets.error.message}
          </EmptyState>
        ) : sets.data === undefined ? (
          <p className={classes.waiting}>Reading the questions …</p>
        ) : sets.data.length > 0 ? (
          <SetsTable sets={sets.data} />
        ) : trash ? (
          <EmptyState title="The trash is empty">
            Sets that you throw away are kept here until you bring them back.
          </EmptyState>
        ) : (
          <EmptyState
            icon={<IconHelpCircle size={30} stroke={1.4} />}
            title="No questions yet"
            actions={<ImportButton />}
          >
            Import UrbanVideo-Bench, VSI-Bench, EgoSchema, MVBench, the released Embodied-R files, or your own
            as JSONL, JSON, CSV or Parquet: drop a file here. Or open a clip and write a question on it.
          </EmptyState>
        )}
      </div>
    </div>
  );
}

function ImportButton() {
  return (
    <Button size="xs" leftSection={<IconFileImport size={14} stroke={1.8} />} onClick={pickQuestionFiles}>
      Import questions
    </Button>
  );
}

function SetsTable({ sets }: { sets: readonly QuestionSetSummary[] }) {
  return (
    <table className={classes.table} aria-label="Sets of questions">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Format</th>
          <th scope="col" className={classes.number}>
            Questions
          </th>
          <th scope="col">Clips in the library</th>
          <th scope="col" className={classes.number}>
            Set aside
          </th>
          <th scope="col">Split</th>
          <th scope="col">Added</th>
          <th scope="col">
            <span className={classes.hidden}>More</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sets.map((set) => (
          <tr key={set.set_id} data-set={set.set_id}>
            <td className={classes.name}>
              <Link
                className={classes.link}
                to="/questions/$setId"
                params={{ setId: set.set_id }}
                title={set.name}
              >
                {set.name}
              </Link>
              {set.kind !== "file" && <span className={classes.badge}>{KINDS[set.kind]}</span>}
            </td>
            <td className={classes.quiet}>{set.format}</td>
            <td className={classes.number}>{formatCount(set.questions)}</td>
            <td>
              <MatchBar matches={set.matches} />
            </td>
            <td className={classes.number}>{set.set_aside === 0 ? "–" : formatCount(set.set_aside)}</td>
            <td className={classes.quiet}>{set.split ? `seed ${set.split.seed}` : "–"}</td>
            <td className={classes.quiet}>{formatAgo(set.made_secs, Date.now() / 1000)}</td>
            <td className={classes.actions}>
              <SetMenu set={set} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SetMenu({ set }: { set: QuestionSetSummary }) {
  if (set.trashed_secs !== null)
    return (
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={`Restore ${set.name}`}
        title="Restore"
        onClick={() => void restoreSet(set)}
      >
        <IconRestore size={16} stroke={1.6} />
      </ActionIcon>
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size="sm" variant="subtle" color="gray" aria-label={`More of ${set.name}`}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconDownload size={15} stroke={1.6} />}
          onClick={() => void downloadSet(set, "jsonl")}
        >
          Export as JSONL
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDownload size={15} stroke={1.6} />}
          onClick={() => void downloadSet(set, "released")}
        >
          Export in the released layout
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDownload size={15} stroke={1.6} />}
          onClick={() => void downloadSet(set, "grpo")}
        >
          Export for GRPO, with triples
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={15} stroke={1.6} />} onClick={() => void trashSet(set)}>
          Move to the trash
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
