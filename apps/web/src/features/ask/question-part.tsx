import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { HEADING_QUESTION, readHeadingStart } from "@sightline/core/ask";
import type { StoredQuestion } from "@sightline/core/benchmarks";
import { formatQuestion } from "@sightline/core/perception";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { queryClient, trpc } from "../../app/clients.ts";
import { QuestionPicker } from "../../app/questions/question-picker.tsx";
import { writeQuestion } from "../../app/questions/questions.ts";
import { WriteQuestion } from "../../app/questions/write-question.tsx";
import classes from "./ask-pane.module.css";

/** The questions of a clip: one is asked, another can be written. */
export function QuestionPart({
  clip_id,
  question,
  has_heading,
  onPick,
  onAskHeading,
}: {
  clip_id: string;
  question: StoredQuestion | null;
  /** The heading question is among them already. */
  has_heading: boolean;
  onPick(question_id: string): void;
  onAskHeading(): void;
}) {
  const [is_writing, setWriting] = useState(false);
  return (
    <div className={classes.question}>
      <div className={classes.row}>
        <div className={classes.grow}>
          <QuestionPicker clip_id={clip_id} value={question?.question_id ?? null} onChange={onPick} />
        </div>
        <Tooltip label="Write a question">
          <ActionIcon
            size={30}
            variant="default"
            aria-label="Write a question"
            aria-expanded={is_writing}
            onClick={() => setWriting(!is_writing)}
          >
            <IconPlus size={15} />
          </ActionIcon>
        </Tooltip>
      </div>
      {!has_heading && !is_writing && (
        <Button size="compact-xs" variant="default" className={classes.offer} onClick={onAskHeading}>
          Ask for the heading after the clip's moves
        </Button>
      )}
      {is_writing && (
        <div className={classes.write}>
          <WriteQuestion
            label="Write it down"
            save={async (draft) => {
              const { question_id } = await writeQuestion(clip_id, draft);
              setWriting(false);
              onPick(question_id);
            }}
            onCancel={() => setWriting(false)}
          />
        </div>
      )}
      {question && !is_writing && (
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

/** The id of a clip's heading question: the one that is there, or written now, with the right answer where it is known. */
export async function getHeadingQuestion(clip_id: string): Promise<string> {
  const questions = await queryClient.ensureQueryData(trpc.questions.ofClip.queryOptions({ clip_id }));
  const known = questions.find((one) => readHeadingStart(one) !== null);
  if (known) return known.question_id;
  const { text, options, task } = HEADING_QUESTION;
  const gold = await queryClient.ensureQueryData(trpc.traces.headingGold.queryOptions({ clip_id }));
  return (await writeQuestion(clip_id, { text, options, task, gold })).question_id;
}
