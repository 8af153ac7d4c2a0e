import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodeModel } from "./onnx.ts";
import { type Cut, convertGraph, type TfGraphModel } from "./tfjs-graph.ts";

/** As much of ONNX Runtime as is needed here; the server brings it. */
type Runtime = {
  InferenceSession: {
    create(
      model: Uint8Array,
    ): Promise<{ run(feeds: object): Promise<Record<string, { data: Float32Array }>> }>;
  };
  Tensor: new (type: string, data: Float32Array, shape: readonly number[]) => object;
};
const server = createRequire(join(import.meta.dirname, "../../apps/server/package.json"));
const { InferenceSession, Tensor } = server("onnxruntime-node") as Runtime;

const base64 = (text: string) => Buffer.from(text).toString("base64");
const conv = (stride: number, fused: readonly string[]) => ({
  strides: { list: { i: ["1", `${stride}`, `${stride}`, "1"] } },
  dilations: { list: { i: ["1", "1", "1", "1"] } },
  padding: { s: base64("SAME") },
  data_format: { s: base64("NHWC") },
  fused_ops: { list: { s: fused.map(base64) } },
});

/** The last of a 3 × 3 kernel, minus 1, above 0; that twice, doubled and negated; and laid out at twice the size. */
const MODEL: TfGraphModel = {
  modelTopology: {
    node: [
      { name: "x", op: "Placeholder" },
      {
        name: "conv",
        op: "_FusedConv2D",
        input: ["x", "kernel", "bias"],
        attr: conv(2, ["BiasAdd", "Relu"]),
      },
      { name: "both", op: "ConcatV2", input: ["conv", "conv", "axis"] },
      { name: "deep", op: "DepthwiseConv2dNative", input: ["both", "scales"], attr: conv(1, []) },
      { name: "large", op: "ResizeBilinear", input: ["deep", "size"], attr: {} },
      { name: "odd", op: "Softmax", input: ["deep"] },
    ],
  },
  weightsManifest: [
    {
      weights: [
        { name: "kernel", shape: [3, 3, 1, 1], dtype: "float32", quantization: { dtype: "float16" } },
        { name: "bias", shape: [1], dtype: "float32", quantization: { dtype: "float16" } },
        { name: "scales", shape: [1, 1, 2, 1], dtype: "float32", quantization: { dtype: "float16" } },
        { name: "axis", shape: [], dtype: "int32" },
      ],
    },
  ],
};
const [ONE, TWO, MINUS_ONE] = [0x3c00, 0x4000, 0xbc00];
const WEIGHTS = Buffer.concat([
  Buffer.from(Uint16Array.from([0, 0, 0, 0, 0, 0, 0, 0, ONE, MINUS_ONE, TWO, MINUS_ONE]).buffer),
  Buffer.from(Int32Array.from([3]).buffer),
]);

const cut = (tf: string, side: number): Cut => ({
  name: "small",
  producer: "test",
  input: { tf: "x", name: "x", shape: [1, 4, 4, 1] },
  outputs: [{ tf, name: "y", shape: [1, 2, side, side] }],
});

test("a converted graph pads, strides, joins and enlarges as TensorFlow does", async () => {
  const session = await InferenceSession.create(encodeModel(convertGraph(MODEL, WEIGHTS, cut("large", 4))));
  const x = new Tensor(
    "float32",
    Float32Array.from({ length: 16 }, (_, k) => k),
    [1, 4, 4, 1],
  );
  const { y } = await session.run({ x });
  // SAME pads an even picture on the right and below only: the kernel's last cell sees 10, and then the border.
  const once = [9, 4.5, 0, 0, 4.5, 2.25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  expect([...(y?.data ?? [])]).toEqual([
    ...once.map((value) => 2 * value),
    ...once.map((value) => 0 - value),
  ]);
});

test("the same graph gives the same bytes", () => {
  const once = encodeModel(convertGraph(MODEL, WEIGHTS, cut("deep", 2)));
  expect(once.equals(encodeModel(convertGraph(MODEL, WEIGHTS, cut("deep", 2))))).toBe(true);
});

test("what is not known is refused by name, not converted wrongly", () => {
  expect(() => convertGraph(MODEL, WEIGHTS, cut("odd", 2))).toThrow("odd: the operator Softmax");
  expect(() => convertGraph(MODEL, WEIGHTS, cut("none", 2))).toThrow("the graph has no none");
  expect(() => convertGraph(MODEL, Buffer.concat([WEIGHTS, WEIGHTS]), cut("deep", 2))).toThrow("tells of 28");
});
