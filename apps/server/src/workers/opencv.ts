/**
 * OpenCV, loaded with this module: import it only in a process of its own, for it is 11 MB, takes 100 MB of memory and puts
 * its own handlers on uncaught errors.
 */
import { type CvModule, loadCv } from "@sightline/core/keyframes";
import opencv from "@techstark/opencv-js";

export const loadOpenCv = () => loadCv(opencv as unknown as CvModule);
