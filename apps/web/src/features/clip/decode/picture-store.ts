import { VideoSample } from "mediabunny";

/** `transfer` saves a copy of every picture; TypeScript's DOM library does not know it yet. */
type BufferInit = VideoFrameBufferInit & { transfer: ArrayBuffer[] };

type Held = { sample: VideoSample; bytes: number };

/** Decoded pictures by ordinal, bounded in bytes. It closes what it lets go of. */
export class PictureStore {
  readonly #held = new Map<number, Held>();
  #bytes = 0;

  /** Bytes of all pictures held. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#held.size;
  }

  has(frame: number): boolean {
    return this.#held.has(frame);
  }

  get(frame: number): VideoSample | null {
    return this.#held.get(frame)?.sample ?? null;
  }

  /** The held frame that is nearest to this one; null when nothing is held. */
  nearest(frame: number): number | null {
    let nearest: number | null = null;
    for (const held of this.#held.keys()) {
      if (nearest === null || Math.abs(held - frame) < Math.abs(nearest - frame)) nearest = held;
    }
    return nearest;
  }

  /** Takes a picture over and lets go of the most needless until all fit into `budget` bytes. */
  add(frame: number, picture: Held, budget: number, needlessness: (frame: number) => number): void {
    this.remove(frame);
    this.#held.set(frame, picture);
    this.#bytes += picture.bytes;
    while (this.#bytes > budget && this.#held.size > 1) this.remove(this.#mostNeedless(frame, needlessness));
  }

  remove(frame: number): void {
    const held = this.#held.get(frame);
    if (held === undefined) return;
    held.sample.close();
    this.#held.delete(frame);
    this.#bytes -= held.bytes;
  }

  clear(): void {
    for (const frame of [...this.#held.keys()]) this.remove(frame);
  }

  #mostNeedless(spared: number, needlessness: (frame: number) => number): number {
    let most = spared;
    for (const frame of this.#held.keys()) {
      if (needlessness(frame) > needlessness(most)) most = frame;
    }
    return most;
  }
}

/**
 * Moves a decoded picture into memory of its own and closes the original. A decoder has few output buffers and stands
 * still while they are held.
 *
 * @param colors  Colour space to read the picture by in place of the decoder's word; null takes that.
 */
export async function detachPicture(sample: VideoSample, colors: VideoColorSpaceInit | null): Promise<Held> {
  const meta = {
    rotation: sample.rotation,
    flip: sample.flip,
    timestamp: sample.timestamp,
    duration: sample.duration,
  };
  try {
    if (sample.format === null) {
      const canvas = new OffscreenCanvas(sample.squarePixelWidth, sample.squarePixelHeight);
      const context = canvas.getContext("2d", { alpha: false });
      if (context === null) throw new Error("The browser gives no canvas to keep a decoded picture in.");
      const frame = sample.toVideoFrame();
      context.drawImage(frame, 0, 0, canvas.width, canvas.height);
      frame.close();
      return { sample: new VideoSample(canvas, meta), bytes: canvas.width * canvas.height * 4 };
    }
    const bytes = sample.allocationSize();
    const buffer = new ArrayBuffer(bytes);
    const layout = await sample.copyTo(buffer);
    const init: BufferInit = {
      format: sample.format as VideoPixelFormat,
      codedWidth: sample.codedWidth,
      codedHeight: sample.codedHeight,
      displayWidth: sample.squarePixelWidth,
      displayHeight: sample.squarePixelHeight,
      timestamp: sample.microsecondTimestamp,
      colorSpace: colors ?? sample.colorSpace.toJSON(),
      layout,
      transfer: [buffer],
    };
    const frame = new VideoFrame(buffer, init);
    return { sample: new VideoSample(frame, meta), bytes };
  } finally {
    sample.close();
  }
}
