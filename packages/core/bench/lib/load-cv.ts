import { createRequire } from "node:module";
import { type Cv, type CvModule, whenCvIsReady } from "../../src/keyframes/cv.ts";

/**
 * OpenCV for tests and benches in Node, inside an object: a promise of the module itself never settles. By `require`,
 * because a test runner awaits what it imports.
 */
export function loadCv(): Promise<{ cv: Cv }> {
  const cv = createRequire(import.meta.url)("@techstark/opencv-js") as Cv & CvModule;
  return new Promise((resolve) => whenCvIsReady(cv, () => resolve({ cv })));
}
