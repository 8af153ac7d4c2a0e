import { type Cv, type CvModule, whenCvIsReady } from "@sightline/core/keyframes";
import opencv from "@techstark/opencv-js";

/**
 * OpenCV, 11 MB, loaded with this module: import it only when it is needed, and only in a worker.
 *
 * @returns It inside an object: the module has a `then`, so a promise of the module itself would never settle.
 */
export function loadCv(): Promise<{ cv: Cv }> {
  const module = opencv as unknown as Cv & CvModule;
  return new Promise((resolve) => whenCvIsReady(module, () => resolve({ cv: module })));
}
