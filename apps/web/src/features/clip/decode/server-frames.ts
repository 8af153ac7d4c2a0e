import type { FramePicture, FrameSource, FrameSourceStatus } from "@sightline/ui/player";

const CAPACITY = 48;
/** Pictures asked for around the focus, in the eye's direction. */
const AHEAD = 4;

/**
 * Exact pictures of one clip, each decoded by the server: slower than decoding here, but it shows what no browser
 * decodes, while a proxy is being made or where none can be.
 */
export class ServerFrames implements FrameSource {
  readonly frame_count: number;
  readonly #fetchPicture: (frame: number) => Promise<ImageBitmap>;
  readonly #listeners = new Set<() => void>();
  readonly #pictures = new Map<number, ImageBitmap>();
  readonly #asked = new Set<number>();
  readonly #problems = new Map<number, string>();
  #focus = 0;
  #disposed = false;
  #running = false;

  constructor(options: { frame_count: number; fetchPicture(frame: number): Promise<ImageBitmap> }) {
    this.frame_count = options.frame_count;
    this.#fetchPicture = options.fetchPicture;
  }

  /** One object for all reads: a reader compares by identity. */
  readonly status: FrameSourceStatus = { state: "ready" };

  get(frame: number): FramePicture | null {
    const bitmap = this.#pictures.get(frame);
    if (bitmap === undefined) return null;
    return {
      frame,
      from_server: true,
      draw: (context, x, y, width, height) => context.drawImage(bitmap, x, y, width, height),
    };
  }

  nearest(frame: number): FramePicture | null {
    let nearest: number | null = null;
    for (const held of this.#pictures.keys()) {
      if (nearest === null || Math.abs(held - frame) < Math.abs(nearest - frame)) nearest = held;
    }
    return nearest === null ? null : this.get(nearest);
  }

  want(frame: number, direction: 1 | -1): void {
    this.#focus = frame;
    this.#asked.clear();
    for (let distance = 0; distance <= AHEAD; distance += 1) {
      const wanted = frame + direction * distance;
      if (wanted >= 0 && wanted < this.frame_count) this.#asked.add(wanted);
    }
    if (!this.#running) this.#run();
  }

  problemOf(frame: number): string | null {
    return this.#problems.get(frame) ?? null;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  dispose(): void {
    this.#disposed = true;
    this.#listeners.clear();
    for (const bitmap of this.#pictures.values()) bitmap.close();
    this.#pictures.clear();
  }

  /** One picture at a time, so that a quick hand leaves no queue behind it at the server. */
  async #run(): Promise<void> {
    this.#running = true;
    while (!this.#disposed) {
      const frame = [...this.#asked].find((wanted) => !this.#pictures.has(wanted));
      if (frame === undefined) break;
      this.#asked.delete(frame);
      try {
        const bitmap = await this.#fetchPicture(frame);
        if (this.#disposed) bitmap.close();
        else this.#keep(frame, bitmap);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#problems.set(frame, `Frame ${frame} can't be shown: ${reason}`);
      }
      for (const listener of this.#listeners) listener();
    }
    this.#running = false;
  }

  #keep(frame: number, bitmap: ImageBitmap): void {
    this.#problems.delete(frame);
    this.#pictures.set(frame, bitmap);
    while (this.#pictures.size > CAPACITY) {
      const farthest = [...this.#pictures.keys()].reduce((far, held) =>
        Math.abs(held - this.#focus) > Math.abs(far - this.#focus) ? held : far,
      );
      this.#pictures.get(farthest)?.close();
      this.#pictures.delete(farthest);
    }
  }
}
