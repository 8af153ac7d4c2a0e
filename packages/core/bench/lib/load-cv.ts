import { createRequire } from "node:module";
import { type CvModule, loadCv } from "../../src/keyframes/cv.ts";

/** OpenCV for tests and benches in Node. By `require`: a test runner awaits what it imports, and the module has a `then`. */
export const loadOpenCv = () => loadCv(createRequire(import.meta.url)("@techstark/opencv-js") as CvModule);
