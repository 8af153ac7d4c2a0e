/** Writes ONNX files: as much of the format's protobuf messages (onnx.proto, IR version 8) as a converted model needs. */

export const FLOAT = 1;
export const FLOAT16 = 10;

export type Attribute = number | number[] | string;

export type OnnxNode = {
  op: string;
  inputs: string[];
  output: string;
  /** Whole numbers become INT or INTS; nothing here needs an attribute with a fraction. */
  attributes?: Record<string, Attribute>;
};

export type OnnxTensor = { name: string; type: number; shape: number[]; data: Uint8Array };
export type OnnxValue = { name: string; type: number; shape: number[] };

export type OnnxModel = {
  name: string;
  producer: string;
  opset: number;
  inputs: OnnxValue[];
  outputs: OnnxValue[];
  constants: OnnxTensor[];
  nodes: OnnxNode[];
};

/** @returns The same bytes for the same model. */
export function encodeModel(model: OnnxModel): Buffer {
  const graph = [
    ...model.nodes.map((node) => bytes(1, encodeNode(node))),
    text(2, model.name),
    ...model.constants.map((tensor) => bytes(5, encodeTensor(tensor))),
    ...model.inputs.map((value) => bytes(11, encodeValue(value))),
    ...model.outputs.map((value) => bytes(12, encodeValue(value))),
  ];
  return Buffer.concat([
    number(1, 8),
    text(2, model.producer),
    bytes(7, Buffer.concat(graph)),
    bytes(8, number(2, model.opset)),
  ]);
}

function encodeNode({ op, inputs, output, attributes = {} }: OnnxNode): Buffer {
  return Buffer.concat([
    ...inputs.map((input) => text(1, input)),
    text(2, output),
    text(3, output),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) => bytes(5, encodeAttribute(name, value))),
  ]);
}

function encodeAttribute(name: string, value: Attribute): Buffer {
  if (typeof value === "string") return Buffer.concat([text(1, name), text(4, value), number(20, 3)]);
  if (typeof value === "number") return Buffer.concat([text(1, name), number(3, value), number(20, 2)]);
  return Buffer.concat([text(1, name), ...value.map((item) => number(8, item)), number(20, 7)]);
}

function encodeTensor({ name, type, shape, data }: OnnxTensor): Buffer {
  return Buffer.concat([
    ...shape.map((side) => number(1, side)),
    number(2, type),
    text(8, name),
    bytes(9, data),
  ]);
}

function encodeValue({ name, type, shape }: OnnxValue): Buffer {
  const sides = Buffer.concat(shape.map((side) => bytes(1, number(1, side))));
  const tensor = Buffer.concat([number(1, type), bytes(2, sides)]);
  return Buffer.concat([text(1, name), bytes(2, bytes(1, tensor))]);
}

const number = (field: number, value: number) => Buffer.concat([varint(field << 3), varint(value)]);
const text = (field: number, value: string) => bytes(field, Buffer.from(value));
const bytes = (field: number, value: Uint8Array) =>
  Buffer.concat([varint((field << 3) | 2), varint(value.length), value]);

/** Seven bits a byte, lowest first. @param value  Whole and not negative. */
function varint(value: number): Buffer {
  const digits: number[] = [];
  let rest = value;
  while (rest > 127) {
    digits.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...digits, rest]);
}
