/*
 * The schema that a FiftyOne dataset folder carries in metadata.json: FiftyOne shows no field that it does not name.
 */

type Field = {
  name: string;
  ftype: string;
  embedded_doc_type: string | null;
  subfield: string | null;
  fields: Field[];
  db_field: string;
};

/** Raised with the folder's layout, not with FiftyOne's releases: newer ones bring it forward as they open it. */
const FIFTYONE_VERSION = "1.0.0";

const path = (kind: string) => `fiftyone.core.fields.${kind}`;

function field(name: string, kind: string, more: Partial<Field> = {}): Field {
  return {
    name,
    ftype: path(kind),
    embedded_doc_type: null,
    subfield: null,
    fields: [],
    db_field: name,
    ...more,
  };
}

const id = field("id", "ObjectIdField", { db_field: "_id" });
const dates = [field("created_at", "DateTimeField"), field("last_modified_at", "DateTimeField")];
const strings = (name: string) => field(name, "ListField", { subfield: path("StringField") });

const SAMPLE_FIELDS = [
  id,
  field("filepath", "StringField"),
  strings("tags"),
  field("metadata", "EmbeddedDocumentField", { embedded_doc_type: "fiftyone.core.metadata.VideoMetadata" }),
  ...dates,
  field("frame_base", "IntField"),
  field("clip_name", "StringField"),
  field("clip_id", "StringField"),
  field("frame_count", "IntField"),
  field("version", "IntField"),
  field("settings_hash", "StringField"),
  field("extractor_version", "IntField"),
  field("settings", "DictField"),
  strings("authors"),
];

const FRAME_FIELDS = [
  id,
  field("frame_number", "FrameNumberField"),
  ...dates,
  field("_sample_id", "ObjectIdField"),
  field("keyframe", "EmbeddedDocumentField", {
    embedded_doc_type: "fiftyone.core.labels.Classification",
    fields: [
      id,
      strings("tags"),
      field("label", "StringField"),
      field("confidence", "FloatField"),
      field("logits", "VectorField"),
      field("time_secs", "FloatField"),
      field("origin", "StringField"),
      field("rule", "StringField"),
      field("overlap", "FloatField"),
      field("matches", "IntField"),
      field("inliers", "IntField"),
      field("action", "StringField"),
      field("action_by", "StringField"),
    ],
  }),
];

/** A dataset of videos with the fields that `writeFiftyOne` fills. */
export const FIFTYONE_DATASET = {
  name: "sightline-keyframes",
  version: FIFTYONE_VERSION,
  media_type: "video",
  persistent: false,
  tags: [],
  info: {},
  classes: { keyframe: ["keep"] },
  sample_fields: SAMPLE_FIELDS,
  frame_fields: FRAME_FIELDS,
};
