/**
 * The part of OpenCV that the extractor uses, as `@techstark/opencv-js` offers it. The package is handed in: it is 11 MB,
 * loads in its own way on each side, and its module object has a `then` of its own, so it must never be awaited.
 */
export interface CvObject {
  delete(): void;
}

export interface CvMat extends CvObject {
  readonly rows: number;
  readonly cols: number;
  readonly data: Uint8Array;
  readonly data32F: Float32Array;
  readonly data64F: Float64Array;
  empty(): boolean;
}

export interface Cv {
  readonly CV_32FC2: number;
  readonly RANSAC: number;
  Mat: new (rows?: number, cols?: number, type?: number) => CvMat;
  findHomography(from: CvMat, to: CvMat, method: number, threshold: number, mask: CvMat): CvMat;
  exceptionFromPtr?(pointer: number): { msg: string };
}

/** The module as it is imported, before its WebAssembly has been compiled. */
export interface CvModule {
  Mat?: unknown;
  onRuntimeInitialized?: () => void;
}

/**
 * Waits until OpenCV can be used.
 *
 * @returns It inside an object: a promise that resolved to the module itself would never settle.
 */
export function loadCv(module: CvModule): Promise<{ cv: Cv }> {
  return new Promise((resolve) => {
    const ready = () => resolve({ cv: module as unknown as Cv });
    if (module.Mat !== undefined) ready();
    else module.onRuntimeInitialized = ready;
  });
}

/** Runs with objects that are freed at its end, whatever happens; what OpenCV throws, a bare pointer, becomes an Error. */
export function withCvObjects<T>(cv: Cv, run: (own: <O extends CvObject>(object: O) => O) => T): T {
  const objects: CvObject[] = [];
  try {
    return run((object) => {
      objects.push(object);
      return object;
    });
  } catch (error) {
    if (typeof error !== "number") throw error;
    throw new Error(`OpenCV: ${cv.exceptionFromPtr?.(error).msg ?? `exception ${error}`}`);
  } finally {
    for (const object of objects) object.delete();
  }
}
