import { ActionIcon, Popover, Tooltip } from "@mantine/core";
import type { PersonAction, StatedAction } from "@sightline/core/decisions";
import { formatClock } from "@sightline/core/format";
import { type DiffPiece, explainProblem, type KnownTriple } from "@sightline/core/perception";
import { IconAlertTriangle, IconPencil, IconQuote, IconThumbDown, IconThumbUp } from "@tabler/icons-react";
import { ActionChoice } from "../../app/decisions/action-choice.tsx";
import { PersonWord } from "../../app/decisions/person-word.tsx";
import { ActionChip } from "./action-chip.tsx";
import classes from "./triple-row.module.css";

type Compared = { other: KnownTriple | null; diff: { left: DiffPiece[]; right: DiffPiece[] } };

/** One triple: the key-frame, the action with geometry's beside it, what changed, what matters, what is wrong. */
export function TripleRow({
  clip_id,
  triple,
  compared,
  is_current,
  is_hovered,
  shows_raw,
  onOpen,
  onHover,
  person,
  is_judged,
  onEdit,
  onRaw,
  onJudge,
  onChoose,
}: {
  clip_id: string;
  triple: KnownTriple;
  /** The same key-frame in a second set; null while none is compared. */
  compared: Compared | null;
  is_current: boolean;
  is_hovered: boolean;
  shows_raw: boolean;
  onOpen(): void;
  onHover(is_in: boolean): void;
  /** What a person said of the action; null when nobody did. */
  person: PersonAction | null;
  /** Whether what is right is being chosen. */
  is_judged: boolean;
  onEdit(): void;
  onRaw(): void;
  onJudge(is_open: boolean): void;
  /** The triple's own action: right; null: only wrong. */
  onChoose(action: StatedAction | null): void;
}) {
  const { index, frame, time_secs, change, relevant, raw, problems, edits } = triple;
  const told = problems.filter((problem) => problem !== "contradicts_geometry");
  return (
    <li
      className={classes.row}
      data-testid="triple"
      data-index={index}
      data-frame={frame}
      data-hovered={is_hovered}
      aria-current={is_current}
      onMouseEnter={() => onHover(true)}
      onMouseLeave={() => onHover(false)}
    >
      <button
        type="button"
        className={classes.open}
        aria-label={`Triple ${index}: open frame ${frame}`}
        onClick={onOpen}
        onFocus={() => onHover(true)}
        onBlur={() => onHover(false)}
      >
        <img
          className={classes.thumb}
          src={`/media/clips/${clip_id}/frames/${frame}.jpg?width=320`}
          alt=""
          loading="lazy"
          width={74}
          height={46}
        />
      </button>
      <div className={classes.text}>
        <div className={classes.head}>
          <span className={classes.index}>{index}</span>
          <span className={classes.time}>
            frame {frame} · {formatClock(time_secs)}
          </span>
          {edits > 0 && (
            <span className={classes.edited} title={`Changed by you, ${edits} ×`}>
              edited
            </span>
          )}
          <span className={classes.tools}>
            {index > 0 && (
              <>
                <Tooltip label="The action is right (Q)">
                  <ActionIcon
                    size={22}
                    aria-label={`The action of triple ${index} is right`}
                    disabled={triple.action === null}
                    onClick={() => onChoose(triple.action)}
                  >
                    <IconThumbUp size={14} stroke={1.6} />
                  </ActionIcon>
                </Tooltip>
                <Popover
                  opened={is_judged}
                  onChange={onJudge}
                  trapFocus
                  returnFocus
                  position="left"
                  withinPortal
                >
                  <Tooltip label="The action is wrong (W)">
                    <Popover.Target>
                      <ActionIcon
                        size={22}
                        aria-label={`The action of triple ${index} is wrong`}
                        onClick={() => onJudge(!is_judged)}
                      >
                        <IconThumbDown size={14} stroke={1.6} />
                      </ActionIcon>
                    </Popover.Target>
                  </Tooltip>
                  <Popover.Dropdown p={6}>
                    <ActionChoice onChoose={onChoose} />
                  </Popover.Dropdown>
                </Popover>
              </>
            )}
            <Tooltip label="The perceiver's own words (R)">
              <ActionIcon
                size={22}
                aria-label={`Raw text of triple ${index}`}
                aria-expanded={shows_raw}
                onClick={onRaw}
              >
                <IconQuote size={14} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
            <Tooltip label="Edit (E)">
              <ActionIcon size={22} data-edits aria-label={`Edit triple ${index}`} onClick={onEdit}>
                <IconPencil size={14} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          </span>
        </div>
        {compared === null ? (
          <>
            {index > 0 && <ActionLine triple={triple} person={person} />}
            {change !== "" && <p className={classes.change}>{change}</p>}
            {relevant !== "" && (
              <p className={classes.relevant}>
                <span>Relevant</span> {relevant}
              </p>
            )}
            {change === "" && relevant === "" && !shows_raw && <p className={classes.raw}>{raw}</p>}
          </>
        ) : (
          <div className={classes.sides}>
            <Side triple={triple} pieces={compared.diff.left} other={compared.other} />
            {compared.other === null ? (
              <p className={classes.nothing}>Not described.</p>
            ) : (
              <Side triple={compared.other} pieces={compared.diff.right} other={triple} />
            )}
          </div>
        )}
        {told.map((problem) => (
          <p key={problem} className={classes.problem}>
            <IconAlertTriangle size={13} stroke={1.8} aria-hidden /> {explainProblem(problem)}
          </p>
        ))}
        {shows_raw && (
          <pre className={classes.raw} data-testid="raw">
            {raw === "" ? "Nothing was said." : raw}
          </pre>
        )}
      </div>
    </li>
  );
}

/** The action that was named, and beside it what the pictures say where they say otherwise. */
function ActionLine({ triple, person }: { triple: KnownTriple; person: PersonAction | null }) {
  const { action, motion, problems } = triple;
  const contradicts = problems.includes("contradicts_geometry");
  const sure = motion?.confidence == null ? "" : ` (${Math.round(motion.confidence * 100)} %)`;
  return (
    <div className={classes.action}>
      <ActionChip action={action} />
      {motion !== null && (contradicts || motion.action !== action) && (
        <Tooltip label={motion.reason} multiline maw={360}>
          <span className={classes.geometry} data-contradicts={contradicts} data-testid="geometry">
            {contradicts && <IconAlertTriangle size={13} stroke={1.8} aria-label="contradicts" />}
            geometry: {motion.action}
            {sure}
          </span>
        </Tooltip>
      )}
      {person !== null && <PersonWord person={person} />}
    </div>
  );
}

function Side({
  triple,
  pieces,
  other,
}: {
  triple: KnownTriple;
  pieces: readonly DiffPiece[];
  other: KnownTriple | null;
}) {
  const { index, action } = triple;
  return (
    <div className={classes.side}>
      {index > 0 && <ActionChip action={action} differs={other !== null && other.action !== action} />}
      <p className={classes.change}>
        {pieces.map(({ text, is_shared }, at) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no other name than their place.
          is_shared || text.trim() === "" ? <span key={at}>{text}</span> : <mark key={at}>{text}</mark>,
        )}
      </p>
    </div>
  );
}
