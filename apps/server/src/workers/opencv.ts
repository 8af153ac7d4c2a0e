import { type Cv, type CvModule, whenCvIsReady } from "@sightline/core/keyframes";
import opencv from "@techstark/opencv-js";

/**
 * OpenCV in a process of its own kind: the module is 11 MB, takes 100 MB and puts its own handlers on uncaught errors.
 *
 * @returns It inside an object: the module has a `then`, so a promise of the module itself would never settle.
 */
export function loadCv(): Promise<{ cv: Cv }> {
  const module = opencv as unknown as Cv & CvModule;
  return new Promise((resolve) => whenCvIsReady(module, () => resolve({ cv: module })));
}
