import { Button, CloseButton, Textarea, TextInput } from "@mantine/core";
import { findHits, type OpenedCompletion, parseWords, type Remark } from "@sightline/core/find";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { trpc } from "../../../../app/clients.ts";
import { notifyFailure } from "../../../../app/notify.tsx";
import { TraceInspector } from "../../../../app/trace/index.tsx";
import { GroupLink } from "../../group/group-link.tsx";
import { useGroup } from "../../group/use-group.ts";
import classes from "./find.module.css";

type Props = {
  completion_id: number;
  words: string;
  onGroup: (step: number, group_id: string) => void;
  onQuestion: (question_id: string) => void;
  onTag: (tag: string) => void;
  onClose: () => void;
};

/** One completion that was found, looked into, with what people say of it. */
export function OpenedTrace({ completion_id, ...props }: Props) {
  // Another tab or person may have written meanwhile.
  const found = useQuery({ ...trpc.find.get.queryOptions({ completion_id }), staleTime: 0 });
  if (found.isError) return <p className={classes.hint}>{found.error.message}</p>;
  if (!found.data) return <p className={classes.hint}>Reading …</p>;
  return <Opened opened={found.data} {...props} />;
}

function Opened({
  opened: { completion_id, line, remarks },
  words,
  onGroup,
  onQuestion,
  onTag,
  onClose,
}: Omit<Props, "completion_id"> & { opened: OpenedCompletion }) {
  const hits = useMemo(() => findHits(line.text, parseWords(words)), [line.text, words]);
  const { group, account } = useGroup(line);
  return (
    <section className={classes.opened} aria-label={`Completion ${line.k + 1} of ${line.group_id}`}>
      <header className={classes.openedHeader}>
        <span>
          Step {line.step} · {line.task.replaceAll("_", " ")} · {line.question_id}
        </span>
        <GroupLink run_id={line.run_id} group={line} k={line.k}>
          Over the whole page
        </GroupLink>
        <Button size="compact-xs" variant="default" onClick={() => onQuestion(line.question_id)}>
          Question over time
        </Button>
        <Button size="compact-xs" variant="default" onClick={() => onGroup(line.step, line.group_id)}>
          Open its group
        </Button>
        <CloseButton ml="auto" size="sm" aria-label="Close the completion" onClick={onClose} />
      </header>
      <div className={classes.openedBody}>
        <TraceInspector
          completion={line}
          prompt={group?.prompt ?? line.prompt}
          account={account?.completions.find(({ k }) => k === line.k) ?? null}
          hits={hits}
        />
        <Remarks completion_id={completion_id} remarks={remarks} onTag={onTag} />
      </div>
    </section>
  );
}

function Remarks({
  completion_id,
  remarks,
  onTag,
}: {
  completion_id: number;
  remarks: readonly Remark[];
  onTag: (tag: string) => void;
}) {
  const queryClient = useQueryClient();
  const [note, setNote] = useState("");
  const [tag, setTag] = useState("");
  const put = (opened: OpenedCompletion) => {
    queryClient.setQueryData(trpc.find.get.queryKey({ completion_id }), opened);
    void queryClient.invalidateQueries({ queryKey: trpc.find.list.pathKey() });
    void queryClient.invalidateQueries({ queryKey: trpc.find.tags.pathKey() });
  };
  const onError = (error: unknown) => notifyFailure("That was not kept", error);
  const addNote = useMutation(
    trpc.find.note.mutationOptions({
      onSuccess: (opened) => {
        put(opened);
        setNote("");
      },
      onError,
    }),
  );
  const addTag = useMutation(
    trpc.find.tag.mutationOptions({
      onSuccess: (opened) => {
        put(opened);
        setTag("");
      },
      onError,
    }),
  );
  const undo = useMutation(trpc.find.undo.mutationOptions({ onSuccess: put, onError }));
  const redo = useMutation(trpc.find.redo.mutationOptions({ onSuccess: put, onError }));
  return (
    <section className={classes.remarks} aria-label="Notes and tags">
      <ul className={classes.remarkList}>
        {remarks.map((remark) => (
          <li key={remark.remark_id} data-undone={remark.undone !== null || undefined}>
            {remark.kind === "tag" ? (
              <button
                type="button"
                className={classes.tag}
                title="Find all with this tag"
                onClick={() => onTag(remark.text)}
              >
                {remark.text}
              </button>
            ) : (
              <span className={classes.note}>{remark.text}</span>
            )}
            <span className={classes.by}>
              {remark.author}, {new Date(remark.made_secs * 1000).toLocaleString()}
              {remark.undone && `; taken back by ${remark.undone.author}`}
            </span>
            <button
              type="button"
              className={classes.clear}
              onClick={() => (remark.undone ? redo : undo).mutate({ remark_id: remark.remark_id })}
            >
              {remark.undone ? "Bring back" : "Undo"}
            </button>
          </li>
        ))}
      </ul>
      <div className={classes.remarkForms}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (tag.trim() !== "") addTag.mutate({ completion_id, text: tag });
          }}
        >
          <TextInput
            size="xs"
            aria-label="New tag"
            placeholder="Tag, then Enter"
            maxLength={60}
            value={tag}
            onChange={(event) => setTag(event.currentTarget.value)}
          />
        </form>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (note.trim() !== "") addNote.mutate({ completion_id, text: note });
          }}
        >
          <Textarea
            size="xs"
            aria-label="New note"
            placeholder="Note, then Ctrl + Enter"
            autosize
            minRows={1}
            maxRows={5}
            maxLength={10_000}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
                event.currentTarget.form?.requestSubmit();
            }}
          />
          <Button size="compact-xs" type="submit" disabled={note.trim() === ""} loading={addNote.isPending}>
            Keep the note
          </Button>
        </form>
      </div>
    </section>
  );
}
