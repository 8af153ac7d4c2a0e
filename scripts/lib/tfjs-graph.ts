/** Turns a TensorFlow.js graph model into ONNX: the operators of CenterNet on MobileNetV3, pictures as NHWC outside and NCHW inside. */
import { FLOAT, FLOAT16, type OnnxModel, type OnnxNode, type OnnxTensor } from "./onnx.ts";

type TfNode = {
  name: string;
  op: string;
  input?: string[];
  attr?: Record<string, { s?: string; i?: string; b?: boolean; list?: { s?: string[]; i?: string[] } }>;
};
type TfWeight = { name: string; shape: number[]; dtype: string; quantization?: { dtype: string } };
export type TfGraphModel = {
  modelTopology: { node: TfNode[] };
  weightsManifest: { weights: TfWeight[] }[];
};

type Weight = { shape: number[]; half: Uint16Array } | { shape: number[]; whole: Int32Array };

export type Cut = {
  name: string;
  producer: string;
  input: { tf: string; name: string; shape: [number, number, number, number] };
  /** Values of the graph that the ONNX model gives, as NCHW; what only comes after them is left out. */
  outputs: { tf: string; name: string; shape: [number, number, number, number] }[];
};

/**
 * @param weights  The model's one weights file; floats are stored as float16 and stay so, turned to float32 as the model is loaded.
 * @throws Error that names an operator, layout or weight that this doesn't know.
 */
export function convertGraph(model: TfGraphModel, weights: Uint8Array, cut: Cut): OnnxModel {
  const known = readWeights(model, weights);
  const byName = new Map(model.modelTopology.node.map((node) => [node.name, node]));
  const nodes: OnnxNode[] = [];
  const constants = new Map<string, OnnxTensor>();
  const done = new Set<string>();

  const emit = (op: string, inputs: string[], output: string, attributes?: OnnxNode["attributes"]) => {
    nodes.push({ op, inputs, output, ...(attributes && { attributes }) });
    return output;
  };
  /** A float constant, kept in half the bytes. */
  const half = (name: string, shape: number[], data: Uint16Array): string => {
    if (!constants.has(name)) {
      constants.set(name, { name: `${name}/half`, type: FLOAT16, shape, data: asBytes(data) });
      emit("Cast", [`${name}/half`], name, { to: FLOAT });
    }
    return name;
  };
  const floats = (name: string, values: number[], shape = [values.length]): string => {
    if (!constants.has(name))
      constants.set(name, { name, type: FLOAT, shape, data: asBytes(Float32Array.from(values)) });
    return name;
  };
  const getHalf = (name: string) => {
    const weight = known.get(name);
    if (weight === undefined || !("half" in weight)) throw new Error(`${name} is no float weight`);
    return weight;
  };

  const convert = (name: string): string => {
    if (name === cut.input.tf) return "picture/nchw";
    const weight = known.get(name);
    if (weight !== undefined) {
      if (!("half" in weight) || weight.shape.length > 0) throw new Error(`${name} is no single number`);
      return half(name, [], weight.half);
    }
    if (done.has(name)) return name;
    const node = byName.get(name);
    if (node === undefined) throw new Error(`the graph has no ${name}`);
    convertNode(node);
    done.add(name);
    return name;
  };

  const convertNode = (node: TfNode): void => {
    const [first = "", second = ""] = node.input ?? [];
    switch (node.op) {
      case "Conv2D":
      case "_FusedConv2D":
      case "DepthwiseConv2dNative":
      case "FusedDepthwiseConv2dNative":
        convertConvolution(node);
        break;
      case "Add":
      case "Mul":
        emit(node.op, [convert(first), convert(second)], node.name);
        break;
      case "Relu":
      case "Sigmoid":
        emit(node.op, [convert(first)], node.name);
        break;
      case "Relu6":
        emit("Clip", [convert(first), floats("zero", [0], []), floats("six", [6], [])], node.name);
        break;
      case "Mean": {
        const axes = known.get(second);
        const isOverPicture =
          axes !== undefined &&
          "whole" in axes &&
          axes.whole.join() === "1,2" &&
          node.attr?.keep_dims?.b === true;
        if (!isOverPicture) throw new Error(`${node.name} is not a mean over the picture`);
        emit("GlobalAveragePool", [convert(first)], node.name);
        break;
      }
      case "ConcatV2": {
        const axis = known.get(node.input?.at(-1) ?? "");
        if (axis === undefined || !("whole" in axis) || axis.whole[0] !== 3)
          throw new Error(`${node.name} does not join channels`);
        emit("Concat", (node.input ?? []).slice(0, -1).map(convert), node.name, { axis: 1 });
        break;
      }
      case "ResizeBilinear": {
        if (node.attr?.align_corners?.b === true || node.attr?.half_pixel_centers?.b === true)
          throw new Error(`${node.name} places its pixels otherwise`);
        // All of them double: the sizes that the graph holds are those of a square picture of 512.
        const inputs = [convert(first), "", floats("double", [1, 1, 2, 2])];
        emit("Resize", inputs, node.name, {
          mode: "linear",
          coordinate_transformation_mode: "asymmetric",
        });
        break;
      }
      default:
        throw new Error(`${node.name}: the operator ${node.op} is not known here`);
    }
  };

  const convertConvolution = (node: TfNode): void => {
    const [input = "", kernelName = "", biasName] = node.input ?? [];
    const { shape, half: kernel } = getHalf(kernelName);
    const [height = 1, width = 1, channels = 1, outs = 1] = shape;
    const isDepthwise = node.op.includes("Depthwise");
    const words = (key: string) =>
      (node.attr?.[key]?.list?.s ?? [node.attr?.[key]?.s ?? ""]).map((word) =>
        Buffer.from(word, "base64").toString(),
      );
    const numbers = (key: string) => (node.attr?.[key]?.list?.i ?? []).map(Number);
    if (words("data_format")[0] !== "NHWC" || numbers("dilations").some((gap) => gap !== 1))
      throw new Error(`${node.name} is laid out otherwise`);
    // HWIO to OIHW; of a depthwise kernel, HWIM to (I·M)1HW.
    const turned = new Uint16Array(kernel.length);
    let at = 0;
    for (let out = 0; out < (isDepthwise ? channels * outs : outs); out += 1)
      for (let channel = 0; channel < (isDepthwise ? 1 : channels); channel += 1)
        for (let place = 0; place < height * width; place += 1) {
          const from = isDepthwise
            ? place * channels * outs + out
            : (place * channels + channel) * outs + out;
          turned[at++] = kernel[from] as number;
        }
    const kernelShape = isDepthwise ? [channels * outs, 1, height, width] : [outs, channels, height, width];
    const inputs = [convert(input), half(kernelName, kernelShape, turned)];
    if (biasName !== undefined) {
      const bias = getHalf(biasName);
      inputs.push(half(biasName, bias.shape, bias.half));
    }
    const [, down = 1, along = 1] = numbers("strides");
    const isActivated = words("fused_ops").includes("Relu");
    const output = isActivated ? `${node.name}/before` : node.name;
    emit("Conv", inputs, output, {
      kernel_shape: [height, width],
      strides: [down, along],
      group: isDepthwise ? channels : 1,
      auto_pad: words("padding")[0] === "SAME" ? "SAME_UPPER" : "VALID",
    });
    if (isActivated) emit("Relu", [output], node.name);
  };

  emit("Transpose", [cut.input.name], "picture/nchw", { perm: [0, 3, 1, 2] });
  for (const { tf, name } of cut.outputs) emit("Identity", [convert(tf)], name);
  return {
    name: cut.name,
    producer: cut.producer,
    opset: 13,
    inputs: [{ name: cut.input.name, type: FLOAT, shape: cut.input.shape }],
    outputs: cut.outputs.map(({ name, shape }) => ({ name, type: FLOAT, shape })),
    constants: [...constants.values()],
    nodes,
  };
}

function readWeights(model: TfGraphModel, bytes: Uint8Array): Map<string, Weight> {
  const weights = new Map<string, Weight>();
  let at = 0;
  const take = (length: number) => {
    at += length;
    return Uint8Array.from(bytes.subarray(at - length, at)).buffer;
  };
  for (const { name, shape, dtype, quantization } of model.weightsManifest.flatMap(
    (group) => group.weights,
  )) {
    const count = shape.reduce((product, side) => product * side, 1);
    if (dtype === "int32") weights.set(name, { shape, whole: new Int32Array(take(4 * count)) });
    else if (quantization?.dtype === "float16")
      weights.set(name, { shape, half: new Uint16Array(take(2 * count)) });
    else throw new Error(`${name} is stored in a way that is not known here`);
  }
  if (at !== bytes.length)
    throw new Error(`the weights are ${bytes.length} bytes long, the model tells of ${at}`);
  return weights;
}

const asBytes = (data: Uint16Array | Float32Array) =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
