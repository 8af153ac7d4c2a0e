/** The key-frame worker's client on a page of its own, for specs and benches. */
import { KeyFrameClient } from "../../../src/features/clip/extract/index.ts";

declare global {
  interface Window {
    keyFrames: KeyFrameClient;
  }
}

window.keyFrames = new KeyFrameClient();
