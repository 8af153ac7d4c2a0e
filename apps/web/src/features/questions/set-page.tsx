import { Button, Tabs } from "@mantine/core";
import type { QuestionSet } from "@sightline/core/benchmarks";
import { formatCount, formatNumberOf } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconArrowLeft, IconDownload, IconHelpCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { trpc } from "../../app/clients.ts";
import { useKeys } from "../../app/keys.ts";
import { usePageTitle } from "../../app/page-title.ts";
import { undoQuestions, useFollowQuestions } from "../../app/questions/questions.ts";
import { AmbiguousNames } from "./ambiguous-names.tsx";
import { downloadSet } from "./commands.ts";
import { FileDrop } from "./file-drop.tsx";
import { Filters } from "./filters.tsx";
import { Imports } from "./imports.tsx";
import { MatchBar } from "./match-bar.tsx";
import { QuestionDetail } from "./question-detail.tsx";
import { QuestionTable } from "./question-table.tsx";
import { Report } from "./report.tsx";
import classes from "./set-page.module.css";
import { SplitPanel } from "./split-panel.tsx";

const route = getRouteApi("/questions/$setId");

/** One set: its questions to find, read and change; what its import said; its clips; its split. */
export function QuestionSetPage() {
  const { setId: set_id } = route.useParams();
  const set = useQuery(trpc.questions.set.queryOptions({ set_id }));
  usePageTitle("Questions", set.data?.name ?? null);
  useFollowQuestions();
  if (set.isError)
    return (
      <EmptyState
        icon={<IconHelpCircle size={30} stroke={1.4} />}
        title="This set could not be opened"
        actions={
          <Button renderRoot={(props) => <Link to="/questions" {...props} />}>Back to the questions</Button>
        }
      >
        {set.error.message}
      </EmptyState>
    );
  if (set.data === undefined) return <p className={classes.waiting}>Reading the questions …</p>;
  return <OpenSet set={set.data} />;
}

function OpenSet({ set }: { set: QuestionSet }) {
  const { question } = route.useSearch();
  const navigate = useNavigate({ from: "/questions/$setId" });
  const open = (question_id: string | undefined) =>
    void navigate({ search: (now) => ({ ...now, question: question_id }), replace: true });
  useKeys("Set of questions", [
    { key: "Escape", label: "Close the question", run: () => open(undefined) },
    { key: "mod+z", label: "Take the last change back", run: () => void undoQuestions() },
    { key: "ArrowUp ArrowDown Home End", label: "Go from question to question" },
  ]);
  return (
    <div className={classes.page}>
      <FileDrop />
      <header className={classes.bar}>
        <Link to="/questions" className={classes.back} aria-label="Back to the questions">
          <IconArrowLeft size={16} stroke={1.7} />
        </Link>
        <h1 className={classes.title}>{set.name}</h1>
        {set.kind === "sample" && <span className={classes.badge}>sample</span>}
        {set.trashed_secs !== null && <span className={classes.badge}>in the trash</span>}
        <span className={classes.quiet}>{set.format}</span>
        <span className={classes.quiet}>{formatNumberOf(set.questions, "question")}</span>
        <MatchBar matches={set.matches} />
        <Button
          ml="auto"
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} stroke={1.7} />}
          onClick={() => void downloadSet(set, "jsonl")}
        >
          Export as JSONL
        </Button>
      </header>
      <Imports set_id={set.set_id} />
      <div className={classes.work}>
        <section className={classes.list} aria-label="Questions of the set">
          <Filters set={set} />
          <QuestionTable set={set} opened={question ?? null} onOpen={open} />
        </section>
        <aside className={classes.side} aria-label={question === undefined ? "About the set" : "Question"}>
          {question === undefined ? (
            <About set={set} />
          ) : (
            <QuestionDetail key={question} question_id={question} onClose={() => open(undefined)} />
          )}
        </aside>
      </div>
    </div>
  );
}

function About({ set }: { set: QuestionSet }) {
  const { tab = "report" } = route.useSearch();
  const navigate = useNavigate({ from: "/questions/$setId" });
  return (
    <Tabs
      value={tab}
      onChange={(value) =>
        void navigate({
          search: (now) => ({ ...now, tab: value === "clips" || value === "split" ? value : undefined }),
          replace: true,
        })
      }
      keepMounted={false}
      classNames={{ root: classes.tabs, panel: classes.panel }}
    >
      <Tabs.List>
        <Tabs.Tab value="report">Report</Tabs.Tab>
        <Tabs.Tab value="clips">
          Clips{set.matches.ambiguous > 0 && ` · ${formatCount(set.matches.ambiguous)} to choose`}
        </Tabs.Tab>
        <Tabs.Tab value="split">Split</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="report">
        <Report set={set} />
      </Tabs.Panel>
      <Tabs.Panel value="clips">
        <AmbiguousNames set={set} />
      </Tabs.Panel>
      <Tabs.Panel value="split">
        <SplitPanel key={set.split?.hash} set={set} />
      </Tabs.Panel>
    </Tabs>
  );
}
