import { Button, CloseButton, Group } from "@mantine/core";
import type { StoredQuestion } from "@sightline/core/benchmarks";
import { formatAgo, formatClock } from "@sightline/core/format";
import { IconPencil, IconRestore, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import { editQuestion, trashQuestions } from "../../app/questions/questions.ts";
import { WriteQuestion } from "../../app/questions/write-question.tsx";
import { restoreQuestion } from "./commands.ts";
import { MATCHES } from "./match-bar.tsx";
import classes from "./question-detail.module.css";

/** One question in full: to read, change, throw away; its clip and its history. */
export function QuestionDetail({ question_id, onClose }: { question_id: string; onClose(): void }) {
  const found = useQuery(trpc.questions.get.queryOptions({ question_id }));
  const [isEditing, setEditing] = useState(false);
  const question = found.data;
  return (
    <div className={classes.detail}>
      <header className={classes.head}>
        <h2 className={classes.title}>{question ? `Question ${question.source_id}` : "Question"}</h2>
        <CloseButton size="sm" aria-label="Close the question" onClick={onClose} />
      </header>
      {found.isError && <p className={classes.fault}>{found.error.message}</p>}
      {question &&
        (isEditing ? (
          <WriteQuestion
            start={question}
            kind={question.kind}
            label="Save"
            save={async ({ text, options, gold, task }) => {
              await editQuestion(question_id, { text, options, gold, task });
              setEditing(false);
            }}
            onCancel={() => setEditing(false)}
          />
        ) : (
          <Shown question={question} onEdit={() => setEditing(true)} />
        ))}
      {question && <History question_id={question_id} />}
    </div>
  );
}

function Shown({ question, onEdit }: { question: StoredQuestion; onEdit(): void }) {
  const { question_id, text, options, gold, kind, task, dataset, scene, split, row, trashed_secs } = question;
  return (
    <>
      <p className={classes.text}>{text}</p>
      {kind === "choice" ? (
        <ol className={classes.options}>
          {options.map((option, at) => {
            const letter = "ABCDEFGH".charAt(at);
            return (
              <li key={letter} data-gold={letter === gold || undefined}>
                <span className={classes.letter}>{letter}</span>
                <span>{option}</span>
                {letter === gold && <span className={classes.gold}>gold</span>}
              </li>
            );
          })}
        </ol>
      ) : (
        <p className={classes.number}>A number{gold !== null && `; gold ${gold}`}</p>
      )}
      {gold === null && <p className={classes.quiet}>No gold answer: it can be asked, but not scored.</p>}
      <dl className={classes.facts}>
        <dt>Clip</dt>
        <dd>
          <ClipOf question={question} />
        </dd>
        <dt>Task</dt>
        <dd>{task}</dd>
        <dt>From</dt>
        <dd>
          {dataset}, row {row}
        </dd>
        {scene !== null && (
          <>
            <dt>Scene</dt>
            <dd>{scene}</dd>
          </>
        )}
        {split !== null && (
          <>
            <dt>Split</dt>
            <dd>{split}</dd>
          </>
        )}
      </dl>
      <Group gap="xs">
        {trashed_secs === null ? (
          <>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPencil size={14} stroke={1.7} />}
              onClick={onEdit}
            >
              Edit
            </Button>
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              leftSection={<IconTrash size={14} stroke={1.7} />}
              onClick={() => void trashQuestions([question_id])}
            >
              Move to the trash
            </Button>
          </>
        ) : (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRestore size={14} stroke={1.7} />}
            onClick={() => void restoreQuestion(question_id)}
          >
            Restore
          </Button>
        )}
      </Group>
    </>
  );
}

function ClipOf({ question }: { question: StoredQuestion }) {
  const { clip_id, clip_name, match, from_secs, to_secs, question_id } = question;
  const span =
    from_secs === null && to_secs === null
      ? null
      : ` ${formatClock(from_secs ?? 0)} – ${to_secs === null ? "end" : formatClock(to_secs)}`;
  return (
    <>
      {clip_id === null ? (
        (clip_name ?? "none named")
      ) : (
        <Link to="/clips/$clipId" params={{ clipId: clip_id }} search={{ tab: "ask", question: question_id }}>
          {clip_name ?? "open"}
        </Link>
      )}
      {span}
      {match !== "matched" && <span className={classes.meaning}>{MATCHES[match].meaning}</span>}
    </>
  );
}

const KINDS: Record<string, string> = {
  write: "written",
  edit: "edited",
  trash: "moved to the trash",
  restore: "restored",
  "take in": "taken in",
  undo: "a change was taken back",
};

function History({ question_id }: { question_id: string }) {
  const history = useQuery(trpc.questions.history.queryOptions({ question_id })).data ?? [];
  if (history.length === 0) return null;
  return (
    <section aria-label="History">
      <h3 className={classes.heading}>History</h3>
      <ol className={classes.history}>
        {history.toReversed().map(({ change_id, made_secs, kind, before, after }) => (
          <li key={change_id}>
            <span>{KINDS[kind] ?? kind}</span>
            <span className={classes.quiet}>{formatAgo(made_secs, Date.now() / 1000)}</span>
            {before !== null && "text" in after && before.text !== after.text && (
              <del className={classes.before}>{before.text}</del>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
