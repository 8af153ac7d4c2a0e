import { Button, Tooltip } from "@mantine/core";
import { formatNumberOf } from "@sightline/core/format";
import { IconTopologyStar3 } from "@tabler/icons-react";
import classes from "./match-toggle.module.css";
import type { MatchState } from "./use-matches.ts";

/** Turns the matches on the picture on and off, and says what they show or why there are none. */
export function MatchToggle({ matches, onToggle }: { matches: MatchState; onToggle(): void }) {
  return (
    <>
      <span className={classes.said} data-testid="matches">
        {describe(matches)}
      </span>
      <Tooltip label="Matches with the key-frame · M" openDelay={500}>
        <Button
          size="compact-xs"
          className={classes.button}
          variant={matches.state === "off" ? "default" : "light"}
          aria-pressed={matches.state !== "off"}
          leftSection={<IconTopologyStar3 size={14} stroke={1.7} />}
          onMouseDown={(event) => event.preventDefault()}
          onClick={onToggle}
        >
          Matches
        </Button>
      </Tooltip>
    </>
  );
}

function describe(matches: MatchState): string {
  if (matches.state === "none") return matches.why;
  if (matches.state !== "shown") return "";
  const { picture, reference } = matches;
  const inliers = picture.matches.filter(({ is_inlier }) => is_inlier).length;
  return `${inliers} of ${formatNumberOf(picture.matches.length, "match", "matches")} fit frame ${reference}`;
}
