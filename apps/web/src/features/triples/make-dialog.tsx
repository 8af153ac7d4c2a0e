import {
  Anchor,
  Autocomplete,
  Button,
  Group,
  Modal,
  NumberInput,
  Radio,
  Select,
  Stack,
  Textarea,
} from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import type { Clip } from "@sightline/core/clips";
import { formatLasting, formatNumberOf } from "@sightline/core/format";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import { formatQuestion } from "@sightline/core/perception";
import { skipToken, useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import classes from "./make-dialog.module.css";

type Kind = "embedded" | "openai" | "oracle";

const KINDS: Record<Kind, { label: string; description: string }> = {
  embedded: {
    label: "Embedded",
    description:
      "No network: the action from geometry, objects from a small detector of 80 kinds. It says what it can't see.",
  },
  openai: {
    label: "A vision model behind an endpoint",
    description: "vLLM, DashScope, Ollama, llama.cpp: the first key-frame alone, then pairs.",
  },
  oracle: {
    label: "The world's truth",
    description: "This clip was rendered from a world of ours, so the truth is known.",
  },
};

/** Chooses who describes the key-frames and with which question in mind; says what it will cost. */
export function MakeDialog({
  clip,
  selection,
  question_id,
  onMade,
  onClose,
}: {
  clip: Clip;
  /** The stored key-frames on screen; null while they are not stored. */
  selection: KeyFrameSelection | null;
  /** The question of the page; null for none. */
  question_id: string | null;
  onMade(triple_set_id: string): void;
  onClose(): void;
}) {
  const { clip_id } = clip;
  const kinds = useQuery(trpc.triples.perceivers.queryOptions({ clip_id })).data ?? ["embedded", "openai"];
  const endpoints = useQuery({ ...trpc.endpoints.list.queryOptions(), staleTime: 0 }).data ?? [];
  const questions = useQuery(trpc.questions.ofClip.queryOptions({ clip_id })).data ?? [];
  const [kind, setKind] = useState<Kind>("embedded");
  const [endpoint_id, setEndpoint] = useState<string | null>(null);
  const [typed, setModel] = useState<string | null>(null);
  const [temperature, setTemperature] = useState(0.1);
  const [image_px, setImagePx] = useState(768);
  const [chosen, setChosen] = useState(question_id);
  const [words, setWords] = useState("");

  const endpoint = endpoints.find((one) => one.endpoint_id === endpoint_id) ?? endpoints[0] ?? null;
  const model = (typed ?? endpoint?.models[0] ?? "").trim();
  const stored = questions.find((one) => one.question_id === chosen) ?? null;
  const question = stored === null ? words : formatQuestion(stored.text, stored.options);
  const perceiver =
    kind !== "openai"
      ? { kind }
      : endpoint === null || model === ""
        ? null
        : { kind, endpoint_id: endpoint.endpoint_id, model, temperature, image_px };
  const plan =
    selection === null || perceiver === null
      ? null
      : {
          clip_id,
          settings_hash: selection.settings_hash,
          perceiver,
          question_id: stored?.question_id ?? null,
          question,
        };
  const [asked] = useDebouncedValue(plan && JSON.stringify(plan), 250);
  const estimate = useQuery({
    ...trpc.triples.estimate.queryOptions(
      asked === null ? skipToken : (JSON.parse(asked) as NonNullable<typeof plan>),
    ),
    staleTime: 0,
  });
  const start = useMutation(
    trpc.triples.start.mutationOptions({ onSuccess: ({ triple_set_id }) => onMade(triple_set_id) }),
  );

  return (
    <Modal opened onClose={onClose} title="Make triples" size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (plan !== null) start.mutate(plan);
        }}
      >
        <Stack gap="md">
          <Radio.Group label="Perceiver" value={kind} onChange={(value) => setKind(value as Kind)}>
            <Stack gap={8} mt={6}>
              {(Object.keys(KINDS) as Kind[])
                .filter((one) => kinds.includes(one))
                .map((one) => (
                  <Radio key={one} size="xs" value={one} {...KINDS[one]} />
                ))}
            </Stack>
          </Radio.Group>
          {kind === "openai" &&
            (endpoints.length === 0 ? (
              <p className={classes.hint}>
                No endpoint is known yet.{" "}
                <Anchor renderRoot={(props) => <Link to="/settings" {...props} />} size="xs">
                  Add one in Settings
                </Anchor>
                .
              </p>
            ) : (
              <Group grow align="flex-start" gap="sm">
                <Select
                  size="xs"
                  label="Endpoint"
                  data={endpoints.map((one) => ({ value: one.endpoint_id, label: one.name }))}
                  value={endpoint?.endpoint_id ?? null}
                  onChange={(id) => {
                    setEndpoint(id);
                    setModel(null);
                  }}
                  allowDeselect={false}
                />
                <Autocomplete
                  size="xs"
                  label="Model"
                  data={endpoint?.models ?? []}
                  value={typed ?? endpoint?.models[0] ?? ""}
                  onChange={setModel}
                />
                <NumberInput
                  size="xs"
                  label="Temperature"
                  min={0}
                  max={2}
                  step={0.1}
                  value={temperature}
                  onChange={(value) => setTemperature(Number(value))}
                />
                <NumberInput
                  size="xs"
                  label="Pictures, px"
                  min={64}
                  max={4096}
                  step={128}
                  value={image_px}
                  onChange={(value) => setImagePx(Number(value))}
                />
              </Group>
            ))}
          {kind !== "oracle" && (
            <Stack gap={6}>
              {questions.length > 0 && (
                <Select
                  size="xs"
                  label="Question whose objects matter"
                  placeholder="None of the stored ones"
                  data={questions.map((one) => ({ value: one.question_id, label: one.text.slice(0, 120) }))}
                  value={chosen}
                  onChange={setChosen}
                  clearable
                  searchable
                />
              )}
              {stored === null && (
                <Textarea
                  size="xs"
                  label="What to look out for"
                  description="A question or names of things; may stay empty. It is never answered here."
                  autosize
                  minRows={1}
                  maxRows={5}
                  value={words}
                  onChange={({ currentTarget }) => setWords(currentTarget.value)}
                />
              )}
            </Stack>
          )}
          <div className={classes.foot}>
            <p className={classes.estimate} data-testid="estimate">
              {selection === null
                ? "Save the key-frames first: triples are made of stored ones."
                : (estimate.error?.message ?? describeEstimate(estimate.data))}
            </p>
            <Button type="submit" size="xs" disabled={plan === null} loading={start.isPending}>
              Make triples
            </Button>
          </div>
          {start.error !== null && (
            <p className={classes.problem} role="alert">
              {start.error.message}
            </p>
          )}
        </Stack>
      </form>
    </Modal>
  );
}

type Estimate = {
  key_frames: number;
  calls: number;
  cached: number;
  pictures: number;
  prompt_tokens: number;
  completion_tokens: number;
  secs: number | null;
};

function describeEstimate(estimate: Estimate | undefined): string {
  if (estimate === undefined) return "";
  const { key_frames, calls, cached, pictures, prompt_tokens, completion_tokens, secs } = estimate;
  const parts = [formatNumberOf(key_frames, "key-frame")];
  if (cached > 0) parts.push(`${cached} known from before`);
  if (calls > 0) {
    const tokens = prompt_tokens + completion_tokens;
    parts.push(
      formatNumberOf(calls, "call"),
      formatNumberOf(pictures, "picture"),
      `roughly ${Number(tokens.toPrecision(2)).toLocaleString("en")} tokens`,
    );
    if (secs !== null) parts.push(`about ${formatLasting(secs)}`);
  } else if (cached > 0) parts.push("costs nothing");
  return parts.join(" · ");
}
