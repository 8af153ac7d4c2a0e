import {
  describeSelection,
  NO_EVIDENCE,
  pickEvidence,
  readBase,
  readNumber,
  readTextEvidence,
  readWhole,
} from "./fields.ts";
import {
  type ExchangedFrame,
  ExchangeProblem,
  type FrameEvidence,
  type KeyFrameExport,
  type ReadClip,
  type ReadKeyFrames,
} from "./types.ts";

/** The label whose tags are key-frames. */
const LABEL = "keyframe";
const ATTRIBUTES = [
  "clip_id",
  "frame",
  "frame_base",
  "time_secs",
  "origin",
  "rule",
  "overlap",
  "matches",
  "inliers",
  "action",
  "action_by",
  "action_from",
  "version",
  "settings_hash",
  "frame_count",
] as const;

/**
 * “CVAT for images 1.1”: an image a key-frame with the tag `keyframe`. A file is of one clip, as a task of CVAT is of one
 * video; its images have the names that CVAT itself gives to the frames of a video, whose numbers are 0-based ordinals.
 */
export function writeCvat(held: KeyFrameExport): string {
  const attributes = ATTRIBUTES.map(
    (name) =>
      `<attribute><name>${name}</name><mutable>False</mutable><input_type>text</input_type><default_value/><values/></attribute>`,
  );
  const meta = [
    "  <meta>",
    "    <task>",
    `      <name>${escapeXml(held.clip_name)}</name>`,
    `      <labels><label><name>${LABEL}</name><type>tag</type><attributes>${attributes.join("")}</attributes></label></labels>`,
    `      <source>${escapeXml(held.clip_name)}</source>`,
    "    </task>",
    `    <sightline>${escapeXml(JSON.stringify({ ...describeSelection(held), frame_base: 0 }))}</sightline>`,
    "  </meta>",
  ];
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    "<annotations>",
    "  <version>1.1</version>",
    ...meta,
    ...held.frames.map((frame) => writeImage(held, frame)),
    "</annotations>",
    "",
  ].join("\n");
}

function writeImage(held: KeyFrameExport, frame: ExchangedFrame): string {
  const { width, height, clip_id, version, settings_hash, frame_count } = held;
  const name = `frame_${String(frame.frame).padStart(6, "0")}`;
  const values: Record<(typeof ATTRIBUTES)[number], string | number | null> = {
    ...pickEvidence(frame, 0),
    clip_id,
    version,
    settings_hash,
    frame_count,
    frame: frame.frame,
    frame_base: 0,
    time_secs: frame.time_secs,
  };
  const attributes = ATTRIBUTES.flatMap((attribute) => {
    const value = values[attribute];
    return value === null
      ? []
      : [`      <attribute name="${attribute}">${escapeXml(String(value))}</attribute>`];
  });
  const source = frame.origin === "person" ? "manual" : "auto";
  return [
    `  <image id="${frame.frame}" name="${name}" width="${width}" height="${height}">`,
    `    <tag label="${LABEL}" source="${source}">`,
    ...attributes,
    "    </tag>",
    "  </image>",
  ].join("\n");
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Control characters can't stand in XML at all; a clip's name has none. */
function escapeXml(text: string): string {
  return text
    .replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char)
    .replace(/[\n\r\t]/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** Takes what a parser of XML reads, piece by piece. */
export type CvatReader = {
  open(name: string, attributes: Readonly<Record<string, string>>, line: number): void;
  text(text: string): void;
  close(name: string): void;
  /** @throws ExchangeProblem when the document was none of CVAT's. */
  end(): ReadKeyFrames;
};

type Image = { name: string; id: string | undefined; line: number; tag: Map<string, string> | null };

/**
 * Reads “CVAT for images 1.1” as it is parsed, so that a long file is never held whole.
 *
 * Images without the tag `keyframe` are no key-frames. The number is the one that CVAT gave to a video's frame
 * (`frame_000210`, from 0), or else the tag's attribute `frame`, or else the one at the end of the image's name; files
 * made elsewhere do not say whether that counts from 0 or from 1.
 *
 * A tag that was added in CVAT has empty attributes: it is of the one clip of the file. One that was copied there from
 * another frame has that frame's attributes, of which only the clip's hold.
 *
 * @throws ExchangeProblem that names the line.
 */
export function createCvatReader(): CvatReader {
  const clips = new Map<string, ReadClip>();
  /** The name of the task's video. */
  let source = "";
  let isSource = false;
  let depth = 0;
  let isCvat = false;
  let image: Image | null = null;
  let tag: Map<string, string> | null = null;
  let attribute: { name: string; text: string } | null = null;

  return {
    open(name, attributes, line) {
      depth += 1;
      if (depth === 1) isCvat = name === "annotations";
      if (!isCvat)
        throw new ExchangeProblem(`line ${line}: the document is <${name}>, not CVAT's <annotations>.`);
      if (depth === 2 && name === "track")
        throw new ExchangeProblem(
          `line ${line}: this is “CVAT for video”, which has tracks and no frame tags. Export the task as “CVAT for images 1.1”.`,
        );
      isSource = depth === 4 && image === null && name === "source";
      if (depth === 2 && name === "image")
        image = { name: attributes.name ?? "", id: attributes.id, line, tag: null };
      if (depth === 3 && image !== null && name === "tag" && attributes.label === LABEL) tag = new Map();
      if (depth === 4 && tag !== null && name === "attribute")
        attribute = { name: attributes.name ?? "", text: "" };
    },
    text(text) {
      if (attribute !== null) attribute.text += text;
      if (isSource) source += text;
    },
    close(name) {
      isSource = false;
      if (depth === 4 && attribute !== null && tag !== null) {
        tag.set(attribute.name, attribute.text);
        attribute = null;
      }
      if (depth === 3 && name === "tag" && image !== null && tag !== null) {
        if (image.tag !== null)
          throw new ExchangeProblem(`line ${image.line}: the image has the tag “${LABEL}” twice.`);
        image.tag = tag;
        tag = null;
      }
      if (depth === 2 && image !== null) {
        addImage(clips, image);
        image = null;
      }
      depth -= 1;
    },
    end() {
      if (!isCvat) throw new ExchangeProblem("line 1: the XML is empty.");
      return { format: "cvat", clips: joinAdded([...clips.values()], source.trim() || null) };
    },
  };
}

/** Gives what names no clip to the only clip there is; without any, to the video of the task. */
function joinAdded(clips: ReadClip[], source: string | null): ReadClip[] {
  const named = clips.map((clip) => ({ ...clip, clip_name: clip.clip_name ?? source }));
  const added = named.find(({ clip_id, frame_count }) => clip_id === null && frame_count === null);
  const [only, ...others] = named.filter((clip) => clip !== added);
  if (added === undefined || only === undefined || others.length > 0 || only.base !== added.base)
    return named;
  return [{ ...only, frames: [...only.frames, ...added.frames] }];
}

/** As CVAT calls a frame of a video. */
const VIDEO_FRAME = /^frame_(\d{6,})$/;

function addImage(clips: Map<string, ReadClip>, { name, line, tag }: Image): void {
  if (tag === null) return;
  const where = `line ${line}`;
  const [, folder = null, digits] = /^(?:(.+)\/)?[^/]*?(\d+)(?:\.\w+)?$/.exec(name) ?? [];
  const [, cvats] = VIDEO_FRAME.exec(name) ?? [];
  const said = readWhole(tag.get("frame"), "frame", where);
  const number = readWhole(cvats, "frame", where) ?? said ?? readWhole(digits, "frame", where);
  if (number === null)
    throw new ExchangeProblem(`${where}: the image “${name.slice(0, 80)}” does not say which frame it is.`);
  const clip_id = tag.get("clip_id") || null;
  const key = JSON.stringify([folder, clip_id]);
  const base = cvats === undefined ? readBase(tag.get("frame_base"), where) : 0;
  const clip = clips.get(key) ?? {
    clip_name: folder,
    clip_id,
    frame_count: readWhole(tag.get("frame_count"), "frame_count", where),
    version: readWhole(tag.get("version"), "version", where),
    settings_hash: tag.get("settings_hash") || null,
    base,
    frames: [],
  };
  clips.set(key, clip);
  if (clip.base !== base)
    throw new ExchangeProblem(
      `${where}: frames of one clip count from 0 in some images and from 1 in others.`,
    );
  const isItsOwn = said === null || said === number;
  clip.frames.push({
    number,
    where,
    ...(isItsOwn
      ? {
          time_secs: readNumber(tag.get("time_secs"), "time_secs", where),
          ...readTextEvidence((field: keyof FrameEvidence) => tag.get(field), where),
        }
      : { time_secs: null, ...NO_EVIDENCE }),
  });
}
