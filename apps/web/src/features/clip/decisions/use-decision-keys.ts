import { ACTION_KEYS } from "../../../app/decisions/actions.ts";
import { holdTyping } from "../../../app/hold-typing.ts";
import { useKeys } from "../../../app/keys.ts";
import type { OpenField } from "./decision-bar.tsx";
import type { DecisionActions } from "./use-decision-actions.ts";

/**
 * One key for each decision. A key that is held down decides once.
 *
 * @param judges_action  False where another pane judges the action that it shows by the same keys.
 */
export function useDecisionKeys(
  actions: DecisionActions,
  judges_action: boolean,
  { onField, onHistory }: { onField(field: OpenField): void; onHistory(): void },
): void {
  const once = (run: () => void) => (event: KeyboardEvent) => {
    if (!event.repeat) run();
  };
  const digits = ACTION_KEYS.filter(({ key }) => /[1-9]/.test(key));
  useKeys("Decide", [
    { key: "S", label: "Keep: it is rightly a key-frame", run: once(actions.keep) },
    { key: "D", label: "Drop: it is no key-frame", run: once(actions.drop) },
    { key: "A", label: "Add the frame on screen", run: once(actions.add) },
    {
      key: "Z",
      label: "Shift the key-frame to the sampled frame before",
      run: once(() => actions.shift(-1)),
    },
    { key: "X", label: "Shift the key-frame to the sampled frame after", run: once(() => actions.shift(1)) },
    { key: "C", label: "Shift the nearest key-frame to the frame on screen", run: once(actions.shiftHere) },
    ...(judges_action
      ? [
          { key: "Q", label: "Geometry’s action is right", run: once(actions.callRight) },
          { key: "W", label: "It is wrong; choose what is right", run: once(() => onField("action")) },
          {
            key: digits.map(({ key }) => key).join(" "),
            shown: "1–9",
            label: "It is wrong; this one is right",
            run: (event: KeyboardEvent) => {
              const chosen = digits.find(({ key }) => key === event.key);
              if (chosen !== undefined && !event.repeat) actions.callWrong(chosen.action);
            },
          },
        ]
      : []),
    {
      key: "V",
      label: "Note at the key-frame",
      run: once(() => {
        onField("note");
        holdTyping();
      }),
    },
    // Beside triples, Ctrl+Z takes their edits back.
    { key: judges_action ? "U mod+Z" : "U", label: "Take the last decision back", run: actions.undo },
    { key: judges_action ? "shift+U mod+shift+Z" : "shift+U", label: "Bring it back", run: actions.redo },
    { key: "H", label: "History of decisions", run: once(onHistory) },
  ]);
}
