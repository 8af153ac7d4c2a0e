import type { RunPreset } from "@sightline/core/runs";
import { SimulatedBadge } from "../simulated-badge.tsx";
import classes from "./launch-page.module.css";

/** The starting points, one of them chosen. */
export function ChoosePreset({
  presets,
  chosen,
  onChoose,
}: {
  presets: readonly RunPreset[];
  chosen: string;
  onChoose: (preset: RunPreset) => void;
}) {
  return (
    <section aria-label="Preset">
      <h2 className={classes.heading}>Preset</h2>
      <div className={classes.presets} role="radiogroup" aria-label="Preset">
        {presets.map((preset) => (
          <label
            key={preset.preset}
            className={classes.preset}
            data-chosen={preset.preset === chosen || undefined}
          >
            <input
              type="radio"
              name="preset"
              value={preset.preset}
              checked={preset.preset === chosen}
              onChange={() => onChoose(preset)}
            />
            <span className={classes.presetHead}>
              <span className={classes.presetTitle}>{preset.title.replace(/^Simulated: /, "")}</span>
              {preset.simulated && <SimulatedBadge run={{ simulated: true, recorded: false }} />}
            </span>
            <span className={classes.presetSummary}>{preset.summary}</span>
          </label>
        ))}
      </div>
    </section>
  );
}
