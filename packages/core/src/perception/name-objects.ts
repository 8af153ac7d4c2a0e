import { LABELS, type Label } from "../detection/labels.ts";

/** Other words that people use for a kind of object, as they stand in a question; plurals come by themselves. */
const SYNONYMS: Partial<Record<Label, readonly string[]>> = {
  person: [
    "man",
    "woman",
    "child",
    "boy",
    "girl",
    "pedestrian",
    "people",
    "men",
    "women",
    "children",
    "human",
  ],
  bicycle: ["bike", "cyclist"],
  car: ["automobile", "taxi", "vehicle"],
  motorcycle: ["motorbike", "scooter", "vehicle"],
  airplane: ["plane", "aeroplane", "aircraft"],
  bus: ["coach", "vehicle"],
  truck: ["lorry", "lorries", "van", "vehicle"],
  boat: ["ship"],
  "traffic light": ["traffic signal", "stoplight"],
  "fire hydrant": ["hydrant"],
  cow: ["cattle"],
  backpack: ["rucksack"],
  handbag: ["purse"],
  tie: ["necktie"],
  suitcase: ["luggage"],
  "sports ball": ["ball", "football", "basketball", "volleyball"],
  skis: ["ski"],
  "wine glass": ["glass"],
  cup: ["mug"],
  donut: ["doughnut"],
  chair: ["armchair", "stool"],
  couch: ["sofa", "settee"],
  "potted plant": ["plant", "flowerpot"],
  "dining table": ["table"],
  tv: ["television", "television set", "monitor"],
  laptop: ["notebook computer"],
  remote: ["remote control"],
  "cell phone": ["phone", "telephone", "smartphone", "mobile phone"],
  microwave: ["microwave oven"],
  oven: ["stove"],
  sink: ["washbasin"],
  refrigerator: ["fridge"],
  "teddy bear": ["teddy"],
  "hair drier": ["hair dryer", "hairdryer"],
};

const IRREGULAR: Partial<Record<Label, string>> = {
  person: "people",
  sheep: "sheep",
  skis: "skis",
  scissors: "scissors",
  broccoli: "broccoli",
  knife: "knives",
};

/** "bus" → "buses", "person" → "people". */
export function toPlural(label: Label): string {
  return IRREGULAR[label] ?? addEnding(label);
}

const addEnding = (word: string) => (/(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`);

/** Every name with the kinds that it may mean; longer names first, so that a hot dog is no dog. */
const NAMES: readonly { pattern: RegExp; labels: Label[] }[] = listNames();

function listNames() {
  const labelsOf = new Map<string, Label[]>();
  for (const label of LABELS) {
    const singular = [label, ...(SYNONYMS[label] ?? [])];
    for (const name of new Set([...singular, ...singular.map(addEnding), toPlural(label)]))
      labelsOf.set(name, [...(labelsOf.get(name) ?? []), label]);
  }
  return [...labelsOf]
    .sort(([a], [b]) => b.length - a.length)
    .map(([name, labels]) => ({
      // An orange before a noun is a colour.
      pattern: new RegExp(name === "orange" ? "\\borange\\b(?!\\s+[a-z])" : `\\b${name}\\b`, "g"),
      labels,
    }));
}

/** The kinds of object that a text names, by the detector's names. */
export function nameObjects(text: string): Set<Label> {
  let rest = text.toLowerCase().replace(/[\s_-]+/g, " ");
  const named = new Set<Label>();
  for (const { pattern, labels } of NAMES)
    rest = rest.replace(pattern, () => {
      for (const label of labels) named.add(label);
      return "·";
    });
  return named;
}
