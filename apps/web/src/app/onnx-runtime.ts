import glue from "onnxruntime-web/ort-wasm-simd-threaded.mjs?url";
import binary from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";

/**
 * Where ONNX Runtime's own files are, for `env.wasm.wasmPaths` of onnxruntime-web and of transformers.js, which use the
 * same version: from this origin, and as they came. Bundled, the glue's threads hang; left unset, it asks a CDN.
 */
export const ORT_FILES = {
  mjs: new URL(glue, import.meta.url).href,
  wasm: new URL(binary, import.meta.url).href,
};
