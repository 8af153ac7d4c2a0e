import { toHeading } from "./path.ts";
import { describeBearing, getSightings } from "./truth.ts";
import type { Action, World, WorldObject } from "./types.ts";

/** What the ground truth says changed at one pose. Same fields as any perceiver's triple. */
export type OracleTriple = {
  /** 0 at the start, then one per step. */
  index: number;
  /** Null at the start. */
  action: Action | null;
  change: string;
  relevant: string;
};

const nameObject = (object: WorldObject) => `${object.colour} ${object.noun}`;
const withArticle = (text: string) => `${/^[aeiou]/.test(text) ? "an" : "a"} ${text}`;
const describeDistance = (metres: number) =>
  metres < 2.5 ? "near" : metres < 6 ? "a few metres away" : "far away";

function joinWords(words: readonly string[]): string {
  if (words.length <= 1) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * The triples that a perceiver without error would give, one per pose.
 *
 * @param relevant_ids  Objects that the question names; what is seen of them goes to `relevant`.
 */
export function describeWorld(world: World, relevant_ids: readonly string[] = []): OracleTriple[] {
  const seen = world.poses.map((pose) => getSightings(world, pose));
  return world.poses.map((pose, index) => {
    const now = seen[index] ?? [];
    const before = index === 0 ? [] : (seen[index - 1] ?? []);
    const isVisible = (list: typeof now, id: string) =>
      list.some((one) => one.object_id === id && one.visible);
    const describe = (object: WorldObject) => {
      const sighting = now.find((one) => one.object_id === object.object_id);
      if (!sighting) return withArticle(nameObject(object));
      return `${withArticle(nameObject(object))} ${describeBearing(sighting.bearing_deg)}, ${describeDistance(sighting.distance)}`;
    };
    const entering = world.objects.filter(
      (object) => isVisible(now, object.object_id) && !isVisible(before, object.object_id),
    );
    const leaving = world.objects.filter(
      (object) => !isVisible(now, object.object_id) && isVisible(before, object.object_id),
    );
    const parts: string[] = [];
    if (index === 0) parts.push(`You face ${toHeading(pose.heading_deg)}.`);
    if (entering.length > 0)
      parts.push(`${index === 0 ? "In view" : "New in view"}: ${entering.map(describe).join("; ")}.`);
    if (leaving.length > 0)
      parts.push(`Out of view: ${joinWords(leaving.map((object) => `the ${nameObject(object)}`))}.`);
    if (index > 0 && entering.length === 0 && leaving.length === 0)
      parts.push("Nothing enters or leaves the view.");
    const named = world.objects.filter(
      (object) => relevant_ids.includes(object.object_id) && isVisible(now, object.object_id),
    );
    return {
      index,
      action: index === 0 ? null : (world.steps[index - 1]?.action ?? null),
      change: parts.join(" "),
      relevant: named.length > 0 ? `Of the question: ${named.map(describe).join("; ")}.` : "",
    };
  });
}
