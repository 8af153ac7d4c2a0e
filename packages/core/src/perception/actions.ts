import { ACTIONS, type Action } from "../worlds/types.ts";

const GO =
  "(?:mov(?:e|es|ed|ing)|fl(?:y|ies|ew|ying)|go(?:es|ing)?|walk(?:s|ed|ing)?|step(?:s|ped|ping)?|slid(?:e|es|ing)|shift(?:s|ed|ing)?|strafe(?:s|d)?)";
const TURN = "(?:rotat(?:e|es|ed|ing)|turn(?:s|ed|ing)?|pan(?:s|ned|ning)?|yaw(?:s|ed|ing)?)";
const TILT = "(?:tilt(?:s|ed|ing)?|look(?:s|ed|ing)?|pitch(?:es|ed|ing)?)";
const CAMERA = "(?:\\s+(?:the|its)\\s+camera)?";
const TOWARDS = "(?:\\s+to(?:wards)?)?(?:\\s+(?:the|its))?";
const STRAIGHT = "(?:\\s+straight)?";

/** Other words that models use for an action of the vocabulary; tried after the vocabulary itself. */
const SYNONYMS: readonly (readonly [Action, RegExp])[] = [
  ["tilt downward", new RegExp(`${TILT}${CAMERA}\\s+down|下倾|俯视|低头|向下倾斜`)],
  ["tilt upward", new RegExp(`${TILT}${CAMERA}\\s+up|上仰|仰视|抬头|向上倾斜`)],
  ["rotate left", new RegExp(`${TURN}${CAMERA}${TOWARDS}\\s+left|counter-?clockwise|左转|向左旋转|向左转`)],
  [
    "rotate right",
    new RegExp(`${TURN}${CAMERA}${TOWARDS}\\s+right|(?<!counter-?)\\bclockwise|右转|向右旋转|向右转`),
  ],
  [
    "move upward",
    new RegExp(`\\bascend|\\bris(?:e|es|ing)\\b|\\bclimb|${GO}${STRAIGHT}\\s+up|上升|向上移动|升高`),
  ],
  [
    "move downward",
    new RegExp(`\\bdescend|\\blower(?:s|ed|ing)?\\b|${GO}${STRAIGHT}\\s+down|下降|向下移动|降低`),
  ],
  ["move backward", new RegExp(`\\bretreat|\\brevers(?:e|es|ing)\\b|${GO}\\s+back|后退|向后移动`)],
  ["move left", new RegExp(`${GO}${TOWARDS}\\s+left|左移|向左移动|向左平移`)],
  ["move right", new RegExp(`${GO}${TOWARDS}\\s+right|右移|向右移动|向右平移`)],
  [
    "move forward",
    new RegExp(`\\badvanc(?:e|es|ed|ing)\\b|${GO}${STRAIGHT}\\s+(?:forward|ahead)|前进|向前移动|向前飞`),
  ],
];

/**
 * The actions that a text names, in the order of the vocabulary's match, without doubles.
 *
 * @returns Empty when the text names none of the ten.
 */
export function findActions(text: string): Action[] {
  const plain = text.toLowerCase().replace(/[*_`#"\s]+/g, " ");
  const exact = ACTIONS.filter((action) => new RegExp(`\\b${action}s?\\b`).test(plain));
  if (exact.length > 0) return exact;
  return SYNONYMS.filter(([, pattern]) => pattern.test(plain)).map(([action]) => action);
}
