import { ActionIcon, Button, Select, Tooltip } from "@mantine/core";
import type { StoredQuestion } from "@sightline/core/benchmarks";
import { formatQuestion } from "@sightline/core/perception";
import { IconPlus } from "@tabler/icons-react";
import classes from "./ask-pane.module.css";

/** The questions of a clip, and the one that is asked. */
export function QuestionPicker({
  questions,
  question,
  has_heading,
  is_writing,
  onPick,
  onWrite,
  onAskHeading,
}: {
  questions: readonly StoredQuestion[];
  question: StoredQuestion | null;
  /** The heading question is among them already. */
  has_heading: boolean;
  is_writing: boolean;
  onPick(question_id: string): void;
  onWrite(): void;
  onAskHeading(): void;
}) {
  return (
    <div className={classes.question}>
      <div className={classes.row}>
        <Select
          className={classes.grow}
          size="xs"
          aria-label="Question"
          placeholder={questions.length === 0 ? "No question on this clip yet" : "Pick a question"}
          data={questions.map(({ question_id, text, task }) => ({
            value: question_id,
            label: `${shorten(text)} · ${task.replaceAll("_", " ")}`,
          }))}
          value={question?.question_id ?? null}
          onChange={(id) => id !== null && onPick(id)}
          allowDeselect={false}
          searchable
          nothingFoundMessage="No such question"
          comboboxProps={{ width: "target" }}
        />
        <Tooltip label="Write a question">
          <ActionIcon
            size={30}
            variant="default"
            aria-label="Write a question"
            aria-expanded={is_writing}
            onClick={onWrite}
          >
            <IconPlus size={15} />
          </ActionIcon>
        </Tooltip>
      </div>
      {!has_heading && (
        <Button size="compact-xs" variant="subtle" className={classes.offer} onClick={onAskHeading}>
          Ask for the heading after the clip's moves
        </Button>
      )}
      {question && (
        <div className={classes.asked} data-testid="question">
          {formatQuestion(question.text, question.options)
            .split("\n")
            .filter((line) => line !== "Choices:")
            .map((line, index) => (
              <p
                // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text, in order.
                key={index}
                data-gold={index > 0 && line.startsWith(`${question.gold}. `)}
              >
                {line}
              </p>
            ))}
          <p className={classes.faint}>
            {question.gold === null ? "The right answer is not known." : `Right answer: ${question.gold}`}
          </p>
        </div>
      )}
    </div>
  );
}

const shorten = (text: string) => (text.length > 90 ? `${text.slice(0, 88)}…` : text);
