import { formatNumberOf } from "@sightline/core/format";
import { IconTopologyStar3 } from "@tabler/icons-react";
import { OverlayToggle } from "./overlay-toggle.tsx";
import type { MatchState } from "./use-matches.ts";

/** Turns the matches on the picture on and off, and says what they show or why there are none. */
export function MatchToggle({ matches, onToggle }: { matches: MatchState; onToggle(): void }) {
  return (
    <OverlayToggle
      id="matches"
      name="Matches"
      label="Matches with the key-frame · M"
      icon={IconTopologyStar3}
      is_on={matches.state !== "off"}
      said={describe(matches)}
      onToggle={onToggle}
    />
  );
}

function describe(matches: MatchState): string {
  if (matches.state === "none") return matches.why;
  if (matches.state !== "shown") return "";
  const { picture, reference } = matches;
  const inliers = picture.matches.filter(({ is_inlier }) => is_inlier).length;
  return `${inliers} of ${formatNumberOf(picture.matches.length, "match", "matches")} fit frame ${reference}`;
}
