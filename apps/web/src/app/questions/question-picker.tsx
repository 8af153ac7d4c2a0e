import { Select } from "@mantine/core";
import { useQuestionsOfClip } from "./questions.ts";

/**
 * The questions on a clip, one of them chosen.
 *
 * @param value  The chosen question's id; null when none is.
 */
export function QuestionPicker({
  clip_id,
  value,
  onChange,
}: {
  clip_id: string;
  value: string | null;
  onChange(question_id: string): void;
}) {
  const questions = useQuestionsOfClip(clip_id);
  const data = (questions.data ?? []).map(({ question_id, text, set_id }) => ({
    value: question_id,
    label: set_id === "samples" ? `${text} (sample)` : text,
  }));
  return (
    <Select
      size="xs"
      aria-label="Question"
      placeholder={
        questions.isPending
          ? "Reading …"
          : data.length === 0
            ? "No question on this clip yet"
            : "Choose a question"
      }
      error={questions.isError ? questions.error.message : null}
      disabled={data.length === 0}
      searchable
      allowDeselect={false}
      data={data}
      value={value}
      onChange={(question_id) => question_id !== null && onChange(question_id)}
    />
  );
}
