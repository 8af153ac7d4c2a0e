import { Button, Group, Loader, Progress } from "@mantine/core";
import { judgeAction, type StatedAction } from "@sightline/core/decisions";
import { formatNumberOf } from "@sightline/core/format";
import type { TripleSet, TripleSetSummary } from "@sightline/core/perception";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconTopologyStar3 } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import type { ClipPaneProps } from "../../app/clip-pane.ts";
import { ACTION_KEYS } from "../../app/decisions/actions.ts";
import { holdTyping } from "../../app/hold-typing.ts";
import { useKeys } from "../../app/keys.ts";
import { notifyFailure } from "../../app/notify.tsx";
import { cancelSet, restoreSet, resumeSet, undoEdit } from "./commands.ts";
import { MakeDialog } from "./make-dialog.tsx";
import { SetBar } from "./set-bar.tsx";
import { TallyLine } from "./tally-line.tsx";
import { TextDialog } from "./text-dialog.tsx";
import { TripleList } from "./triple-list.tsx";
import classes from "./triples-pane.module.css";
import { useTrashedSets, useTripleSet, useTripleSets } from "./use-triple-sets.ts";

const route = getRouteApi("/clips/$clipId");

/** What changed at each key-frame, by whom it was said, and where two say otherwise. */
export function TriplesPane(props: ClipPaneProps) {
  const { clip, selection, version, is_saved, frame, onDecide } = props;
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/clips/$clipId" });
  const sets = useTripleSets(clip.clip_id);
  const trashed = useTrashedSets(clip.clip_id, sets?.length ?? 0);
  const summary = find(sets, search.triples) ?? sets?.[0] ?? null;
  const other = find(sets, search.against);
  const set = useTripleSet(summary);
  const against = useTripleSet(other);
  const [dialog, setDialog] = useState<"make" | "text" | null>(null);
  const [edited, setEdited] = useState<number | null>(null);
  const [judged, setJudged] = useState<number | null>(null);
  const [raws, setRaws] = useState<ReadonlySet<number>>(new Set());
  const start = useMutation(trpc.triples.start.mutationOptions());

  const show = (change: { triples?: string; against?: string | undefined }) => {
    setEdited(null);
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true, resetScroll: false });
  };
  const current = set?.triples.findLast((triple) => triple.frame <= frame)?.index ?? null;
  const toggleRaw = (index: number) =>
    setRaws((open) => {
      const next = new Set(open);
      if (!next.delete(index)) next.add(index);
      return next;
    });

  const choose = (index: number, action: StatedAction | null) => {
    setJudged(null);
    const triple = set?.triples[index];
    const before = set?.triples[index - 1];
    if (set === null || triple === undefined || before === undefined) return;
    const about = {
      frame: triple.frame,
      from_frame: before.frame,
      said_by: set.label,
      said_action: triple.action,
    };
    const check = onDecide(judgeAction(about, action));
    if (check.outcome === "refused") notifyFailure("Nothing was decided", check.reason);
  };
  const digits = ACTION_KEYS.filter(({ key }) => /[1-9]/.test(key));

  useKeys("Triples", [
    {
      key: "Q",
      label: "The triple’s action is right",
      run: () => {
        const action = current === null ? null : (set?.triples[current]?.action ?? null);
        if (current !== null && action !== null) choose(current, action);
      },
    },
    {
      key: "W",
      label: "It is wrong; choose what is right",
      run: () => current !== null && current > 0 && setJudged(current),
    },
    {
      key: digits.map(({ key }) => key).join(" "),
      shown: "1–9",
      label: "It is wrong; this one is right",
      run: (event) => {
        const chosen = digits.find(({ key }) => key === event.key);
        if (chosen !== undefined && current !== null && !event.repeat) choose(current, chosen.action);
      },
    },
    {
      key: "E",
      label: "Edit the triple",
      run() {
        if (!set || current === null) return;
        setEdited(current);
        holdTyping();
      },
    },
    { key: "R", label: "The perceiver's own words", run: () => current !== null && toggleRaw(current) },
    { key: "T", label: "The text that the model reads", run: () => set && setDialog("text") },
    { key: "N", label: "Make triples", run: () => setDialog("make") },
    {
      key: "mod+Z",
      label: "Take the last edit back",
      run: () => set && void undoEdit(set.triple_set_id, null),
    },
  ]);

  const makeEmbedded = () => {
    if (selection === null) return;
    start.mutate(
      {
        clip_id: clip.clip_id,
        settings_hash: selection.settings_hash,
        perceiver: { kind: "embedded" },
        question_id: null,
        question: "",
      },
      { onSuccess: ({ triple_set_id }) => show({ triples: triple_set_id }) },
    );
  };

  if (sets === undefined) return <Loader size="sm" m="md" aria-label="Reading the triples" />;
  return (
    <section className={classes.root} aria-label="Triples">
      {summary === null ? (
        <EmptyState
          icon={<IconTopologyStar3 size={28} stroke={1.4} />}
          title="No triples of this clip yet"
          actions={
            <Group gap={8} justify="center">
              <Button size="xs" disabled={!is_saved} loading={start.isPending} onClick={makeEmbedded}>
                Make without a network
              </Button>
              <Button size="xs" variant="default" disabled={!is_saved} onClick={() => setDialog("make")}>
                Others…
              </Button>
              {trashed[0] !== undefined && (
                <Button
                  size="xs"
                  variant="subtle"
                  onClick={() => void restoreSet(trashed[0]?.triple_set_id ?? "")}
                >
                  Bring back {trashed[0].label}
                </Button>
              )}
            </Group>
          }
        >
          A triple says what changed at a key-frame: the action, what is new in view, and what matters to the
          question. {is_saved ? "" : "Save the key-frames first. "}
          {start.error !== null && <span className={classes.problem}>{start.error.message}</span>}
        </EmptyState>
      ) : (
        <>
          <SetBar
            clip={clip}
            sets={sets}
            trashed={trashed}
            shown={summary}
            set={set}
            against={other}
            selection={is_saved ? selection : null}
            onShow={show}
            onDialog={setDialog}
          />
          <WorkLine set={summary} />
          {selection !== null && selection.settings_hash !== summary.settings_hash && (
            <p className={classes.note}>
              Made for other key-frame settings than those on screen: some of its frames may not be key-frames
              here.
            </p>
          )}
          {version !== null &&
            version.settings_hash === summary.settings_hash &&
            version.version !== summary.selection_version && (
              <p className={classes.note}>
                Made of version {summary.selection_version} of the key-frames; version {version.version} is on
                screen.
              </p>
            )}
          {set !== null && set.triples.length > 0 && <TallyLine set={set} against={against} />}
          {set !== null && (
            <TripleList
              pane={props}
              set={set}
              against={against}
              current={current}
              edited={edited}
              raws={raws}
              judged={judged}
              onJudge={setJudged}
              onChoose={choose}
              onEdit={setEdited}
              onRaw={toggleRaw}
            />
          )}
        </>
      )}
      {dialog === "make" && (
        <MakeDialog
          clip={clip}
          selection={is_saved ? selection : null}
          question_id={search.question ?? null}
          onMade={(triple_set_id) => {
            setDialog(null);
            show({ triples: triple_set_id, against: undefined });
          }}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === "text" && set !== null && (
        <TextDialog set={set as TripleSet} onClose={() => setDialog(null)} />
      )}
    </section>
  );
}

function find(sets: readonly TripleSetSummary[] | undefined, id: string | undefined) {
  return sets?.find(({ triple_set_id }) => triple_set_id === id) ?? null;
}

/** Where a set that works, or was cut short, stands. */
function WorkLine({ set }: { set: TripleSetSummary }) {
  const { state, described, key_frames, problem, triple_set_id, perceiver } = set;
  if (state === "done") return null;
  const count = `${described} of ${formatNumberOf(key_frames, "key-frame")}`;
  if (state === "working") {
    return (
      <div className={classes.work} role="status" data-testid="triples-work">
        <span>Describing · {count}</span>
        <Progress
          value={(described / key_frames) * 100}
          animated={described === 0}
          size={4}
          className={classes.progress}
          aria-label="Describing"
        />
        <Button size="compact-xs" variant="default" onClick={() => void cancelSet(triple_set_id)}>
          Cancel
        </Button>
      </div>
    );
  }
  return (
    <div className={classes.cut} data-state={state} role={state === "failed" ? "alert" : "status"}>
      <span>
        {state === "failed" ? problem : "Cancelled."} {count} described.
      </span>
      {perceiver.kind !== "imported" && (
        <Button size="compact-xs" variant="default" onClick={() => void resumeSet(triple_set_id)}>
          Go on
        </Button>
      )}
    </div>
  );
}
