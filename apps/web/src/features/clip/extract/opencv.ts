/** OpenCV, 11 MB, loaded with this module: import it only when it is needed, and only in a worker. */
import { type CvModule, loadCv } from "@sightline/core/keyframes";
import opencv from "@techstark/opencv-js";

export const loadOpenCv = () => loadCv(opencv as unknown as CvModule);
