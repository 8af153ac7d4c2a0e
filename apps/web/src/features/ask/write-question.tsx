import { Button, Select, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, trpc } from "../../app/clients.ts";
import classes from "./ask-pane.module.css";

const LETTERS = "ABCDEFGHIJ";

/** A question and its options, one a line; the right one may be left open. */
export function WriteQuestion({
  clip_id,
  onWritten,
  onCancel,
}: {
  clip_id: string;
  onWritten(question_id: string): void;
  onCancel(): void;
}) {
  const [text, setText] = useState("");
  const [lines, setLines] = useState("");
  const [gold, setGold] = useState<string | null>(null);
  const options = lines
    .split("\n")
    .map((line) => line.replace(/^\s*\(?[A-J][.):]\s+/, "").trim())
    .filter((line) => line !== "");
  const write = useWriteQuestion(clip_id, onWritten);
  const is_ready = text.trim() !== "" && options.length >= 2 && options.length <= LETTERS.length;
  return (
    <form
      className={classes.write}
      onSubmit={(event) => {
        event.preventDefault();
        if (is_ready) write.mutate({ clip_id, text: text.trim(), options, gold, task: "written" });
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
      }}
    >
      <Textarea
        size="xs"
        label="Question"
        autosize
        minRows={2}
        data-autofocus
        autoFocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Textarea
        size="xs"
        label="Options, one a line"
        autosize
        minRows={3}
        value={lines}
        onChange={(event) => {
          setLines(event.currentTarget.value);
          setGold(null);
        }}
      />
      <Select
        size="xs"
        label="Right answer"
        placeholder="Not known"
        clearable
        data={options.slice(0, LETTERS.length).map((option, index) => ({
          value: LETTERS.charAt(index),
          label: `${LETTERS.charAt(index)}. ${option}`,
        }))}
        value={gold}
        onChange={setGold}
      />
      {write.isError && <p className={classes.problem}>{write.error.message}</p>}
      <div className={classes.row}>
        <Button size="xs" type="submit" disabled={!is_ready} loading={write.isPending}>
          Write it down
        </Button>
        <Button size="xs" variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** Writes a question on a clip: `mutate({ clip_id, … })`. */
export function useWriteQuestion(clip_id: string, onWritten: (question_id: string) => void) {
  return useMutation(
    trpc.questions.write.mutationOptions({
      async onSuccess({ question }) {
        await queryClient.invalidateQueries({ queryKey: trpc.questions.ofClip.queryKey({ clip_id }) });
        onWritten(question.question_id);
      },
    }),
  );
}
