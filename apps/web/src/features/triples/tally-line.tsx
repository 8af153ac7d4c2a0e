import { Tooltip, UnstyledButton } from "@mantine/core";
import { formatNumberOf } from "@sightline/core/format";
import { type TripleSet, type TripleTally, tallyTriples } from "@sightline/core/perception";
import { ACTIONS } from "@sightline/core/worlds";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import classes from "./tally-line.module.css";

const COLUMNS = [...ACTIONS, "unclear", "none"] as const;
const MARKS: Record<(typeof COLUMNS)[number], string> = {
  "move forward": "F",
  "move backward": "B",
  "move left": "L",
  "move right": "R",
  "move upward": "U",
  "move downward": "D",
  "rotate left": "↺",
  "rotate right": "↻",
  "tilt upward": "↥",
  "tilt downward": "↧",
  unclear: "?",
  none: "–",
};

/** How a perceiver's actions spread, how often it leaked, how often the pictures contradict it: at a glance. */
export function TallyLine({ set, against }: { set: TripleSet; against: TripleSet | null }) {
  const [shows_all, setShowsAll] = useState(false);
  return (
    <div className={classes.root}>
      <div className={classes.tallies}>
        <SetTally set={set} shows_all={shows_all} has_label={against !== null} />
        {against !== null && <SetTally set={against} shows_all={shows_all} has_label />}
      </div>
      <UnstyledButton className={classes.scope} onClick={() => setShowsAll(!shows_all)}>
        {shows_all ? "Count this clip" : "Count all clips"}
      </UnstyledButton>
    </div>
  );
}

function SetTally({ set, shows_all, has_label }: { set: TripleSet; shows_all: boolean; has_label: boolean }) {
  const { triple_set_id, label } = set;
  const all = useQuery({
    ...trpc.triples.tallyPerceiver.queryOptions({ triple_set_id }),
    enabled: shows_all,
    staleTime: 0,
  });
  const over = shows_all && all.data !== undefined ? ` · ${formatNumberOf(all.data.clips, "clip")}` : "";
  return (
    <Tally
      label={has_label || over !== "" ? `${label}${over}` : null}
      tally={shows_all && all.data !== undefined ? all.data.tally : tallyTriples(set.triples)}
    />
  );
}

function Tally({ label, tally }: { label: string | null; tally: TripleTally }) {
  const { steps, actions, leaks, triples, contradictions, compared } = tally;
  const count = new Map(actions.map((one) => [one.action, one.count]));
  const [first] = actions;
  const share = first === undefined ? 0 : Math.round((100 * first.count) / Math.max(1, steps));
  const said = actions.map(({ action, count: n }) => `${action} ${n}`).join(", ");
  return (
    <div className={classes.tally} data-testid="tally">
      {label !== null && <b className={classes.label}>{label}</b>}
      <div className={classes.bars} role="img" aria-label={`Actions: ${said || "none"}.`}>
        {COLUMNS.map((action) => {
          const n = count.get(action) ?? 0;
          return (
            <Tooltip key={action} label={`${action}: ${n} of ${steps}`}>
              <span className={classes.column} data-none={n === 0}>
                <i style={{ height: `${n === 0 ? 0 : Math.max(8, (100 * n) / Math.max(1, steps))}%` }} />
                <small>{MARKS[action]}</small>
              </span>
            </Tooltip>
          );
        })}
      </div>
      <p className={classes.text}>
        {first !== undefined && (
          <span data-odd={share >= 90 && steps >= 5}>
            {first.action} {share} %
          </span>
        )}
        <span data-wrong={contradictions > 0}>
          {contradictions} of {compared} contradict the pictures
        </span>
        <span data-wrong={leaks > 0}>
          {leaks} of {triples} leak
        </span>
      </p>
    </div>
  );
}
