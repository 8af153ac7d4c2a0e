import type { FrameFeatures, KeyFrameSelection } from "../keyframes/index.ts";
import { DEFAULT_FIELD_OF_VIEW_DEG, explainFailure } from "./estimate.ts";
import { findFieldOfView } from "./field-of-view.ts";
import { fitPair, type PairFit } from "./fit.ts";
import { findPitch, getStance, levelTravel, type Stance, wrapTurn } from "./level.ts";
import { type LevelMotion, nameMotion } from "./name.ts";
import { getPointPairs } from "./pairs.ts";
import { compose, getAngle, IDENTITY, type Rotation } from "./rays.ts";
import type { Motion } from "./types.ts";

/** A sampled frame in the chain: its camera in the axes of the first one of its stretch. */
type Link = { fit: PairFit | null; stretch: number; camera: Rotation };

/**
 * What the camera did before each key-frame of a selection.
 *
 * The turn between two key-frames is the sum of the turns between all sampled frames between them: so a turn that leaves
 * no common view is still known, beyond half a circle too. Where neighbouring sampled frames don't match, the chain is
 * broken: the key-frame after the break has no motion, and says so. The cameras' right-hand axes tell which way is up
 * (`findPitch`), so that turns are about the vertical and moves along the floor, wherever the camera looks.
 *
 * @param frames  Features of all sampled frames, in presentation order; those of the selection's own settings.
 * @param field_of_view_deg  Horizontal; null where nobody said: it is read from the clip's turns (`findFieldOfView`), and where
 *   these don't show it, {@link DEFAULT_FIELD_OF_VIEW_DEG} is taken.
 * @returns One motion per kept frame, in order; null for the first.
 */
export function describeMotions(
  selection: Pick<KeyFrameSelection, "decisions">,
  frames: readonly FrameFeatures[],
  field_of_view_deg: number | null,
): (Motion | null)[] {
  const fov = field_of_view_deg ?? findFieldOfView(frames) ?? DEFAULT_FIELD_OF_VIEW_DEG;
  const links = linkFrames(frames, fov);
  const pitches = findPitches(links);
  const stances = links.map(({ camera, stretch }) => getStance(camera, pitches[stretch] as number));
  const indexOf = new Map(frames.map(({ frame }, i) => [frame, i]));
  const kept = selection.decisions.flatMap(({ kept: isKept, frame }) => (isKept ? [indexOf.get(frame)] : []));
  return kept.map((to, k) => {
    const from = kept[k - 1];
    if (k === 0) return null;
    if (from === undefined || to === undefined) return explainMissing();
    return describeStretch(links.slice(from, to + 1), stances.slice(from, to + 1));
  });
}

function linkFrames(frames: readonly FrameFeatures[], field_of_view_deg: number): Link[] {
  const links: Link[] = [];
  for (const [i, frame] of frames.entries()) {
    const before = frames[i - 1];
    const last = links[i - 1];
    if (before === undefined || last === undefined) {
      links.push({ fit: null, stretch: 0, camera: IDENTITY });
      continue;
    }
    const fit = fitPair(getPointPairs(before, frame), frame, field_of_view_deg);
    links.push(
      fit.failure === null
        ? { fit, stretch: last.stretch, camera: compose(last.camera, fit.rotation) }
        : { fit, stretch: last.stretch + 1, camera: IDENTITY },
    );
  }
  return links;
}

/** The first camera's pitch of each unbroken stretch; what came before a break is what is expected after it. */
function findPitches(links: readonly Link[]): number[] {
  const pitches: number[] = [];
  let expected = 0;
  for (let stretch = 0; stretch <= (links.at(-1)?.stretch ?? -1); stretch += 1) {
    const cameras = links.flatMap((link) => (link.stretch === stretch ? [link.camera] : []));
    const pitch = findPitch(cameras, expected);
    pitches.push(pitch);
    expected = (getStance(cameras.at(-1) ?? IDENTITY, pitch).pitch_deg * Math.PI) / 180;
  }
  return pitches;
}

function describeStretch(links: readonly Link[], stances: readonly Stance[]): Motion {
  const sum: LevelMotion = {
    yaw_deg: 0,
    pitch_deg: 0,
    roll_deg: 0,
    right: 0,
    up: 0,
    ahead: 0,
    doubtful_deg: 0,
    matches: Number.POSITIVE_INFINITY,
    inliers: Number.POSITIVE_INFINITY,
  };
  for (let i = 1; i < links.length; i += 1) {
    const { fit } = links[i] as Link;
    const before = stances[i - 1] as Stance;
    const after = stances[i] as Stance;
    if (fit === null) return explainMissing();
    if (fit.failure !== null) return explainFailure(fit);
    sum.yaw_deg += wrapTurn(after.heading_deg - before.heading_deg);
    sum.pitch_deg += after.pitch_deg - before.pitch_deg;
    sum.roll_deg += after.roll_deg - before.roll_deg;
    if (fit.isDoubtful) sum.doubtful_deg += (getAngle(fit.rotation) * 180) / Math.PI;
    if (fit.inliers < sum.inliers) [sum.matches, sum.inliers] = [fit.matches, fit.inliers];
    const [x, y, z] = fit.travel ?? [0, 0, 0];
    const way = levelTravel(
      [x * fit.shift, y * fit.shift, z * fit.shift],
      (before.pitch_deg * Math.PI) / 180,
    );
    sum.right += way.right;
    sum.up += way.up;
    sum.ahead += way.ahead;
  }
  return nameMotion(sum);
}

function explainMissing(): Motion {
  return {
    action: "unclear",
    confidence: null,
    reason: "What was seen of the frames between is not there any more.",
    yaw_deg: null,
    pitch_deg: null,
    roll_deg: null,
    matches: 0,
    inliers: 0,
  };
}
