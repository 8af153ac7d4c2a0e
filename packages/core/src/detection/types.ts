/** One object that the detector found in a picture. */
export type Detection = {
  /** COCO name: "chair", "traffic light". */
  label: string;
  /** In [0, 1]. */
  score: number;
  /** Left, top, right, bottom in pixels of the upright picture. */
  box: [x0: number, y0: number, x1: number, y1: number];
};
