import type { Rotation, SampleTable } from "@sightline/core/clips";
import type { FramePicture, FrameSource, FrameSourceStatus } from "@sightline/ui/player";
import {
  EncodedPacketSink,
  Input,
  InputDisposedError,
  type InputVideoTrack,
  IsobmffInputFormat,
  MATROSKA,
  MP4,
  MPEG_TS,
  QTFF,
  UnsupportedInputFormatError,
  UrlSource,
  type VideoSample,
  VideoSampleSink,
  WEBM,
} from "mediabunny";
import { expectedTimes, findOrdinal, matchTable } from "./match-table.ts";
import { detachPicture, PictureStore } from "./picture-store.ts";
import { type DecodePass, type DecodePlan, getNeedlessness, goOn, planDecode } from "./plan.ts";

/** What a decoder needs to know of its clip. */
export type DecoderOptions = {
  url: string;
  bytes: number;
  table: SampleTable;
  /** Degrees clockwise that turn the coded picture upright; null takes the file's own word. */
  rotation: Rotation | null;
  fetch: typeof fetch;
  /** The server's picture of a frame, for frames that the browser cannot decode. */
  fetchPicture(frame: number): Promise<ImageBitmap>;
  /** Memory for decoded pictures, in bytes. */
  budget_bytes?: number;
};

/** A pass of the decoder with the pictures that it yields, in presentation order. */
type Walk = DecodePass & { samples: AsyncGenerator<VideoSample, void, unknown> };

const BUDGET_BYTES = 256 * 1024 * 1024;
const SMALLEST_CAPACITY = 8;
/** Pictures decoded ahead before anybody has moved. */
const CAPACITY_AT_REST = 24;
/** A container without an index is read through to find its keys only up to this size. */
const SCAN_LIMIT_BYTES = 32 * 1024 * 1024;
const PACKETS_PER_SLICE = 500;
/** So many decoded pictures in a row that no frame of the table answers to mean that the readers disagree. */
const STRANGERS_LIMIT = 60;

class HttpError extends Error {}

/**
 * Exact pictures of one clip, decoded in the browser. A picture is shown under an ordinal only when the presentation
 * time that the decoder reports for it is the one that the server's sample table gives that ordinal.
 *
 * Pictures around the focus are decoded ahead in both directions and held within a budget.
 */
export class ClipDecoder implements FrameSource {
  readonly frame_count: number;
  readonly #options: DecoderOptions;
  readonly #input: Input;
  readonly #store = new PictureStore();
  readonly #listeners = new Set<() => void>();
  readonly #problems = new Map<number, string>();
  readonly #serverPictures = new Map<number, ImageBitmap>();
  readonly #budget: number;
  #status: FrameSourceStatus = { state: "opening" };
  #refusal: string | null = null;
  #sink: VideoSampleSink | null = null;
  #colors: VideoColorSpaceInit | null = null;
  #container_secs: number[];
  #keys: number[] | null = null;
  #walk: Walk | null = null;
  #preview: { frame: number; sample: VideoSample } | null = null;
  #focus = 0;
  #direction: 1 | -1 = 1;
  #wants = 0;
  #picture_bytes = 0;
  #strangers = 0;
  #disposed = false;
  #wake: () => void = () => {};

  constructor(options: DecoderOptions) {
    this.#options = options;
    this.frame_count = options.table.time_secs.length;
    this.#container_secs = expectedTimes(options.table);
    this.#budget = options.budget_bytes ?? BUDGET_BYTES;
    this.#input = new Input({
      source: new UrlSource(options.url, {
        fetchFn: (input, init) => this.#fetch(input, init),
        getRetryDelay: (attempts, error) => this.#retryDelay(attempts, error),
        handleUnhandledError: (error) => this.#fail(error),
      }),
      formats: [MP4, QTFF, MATROSKA, WEBM, MPEG_TS],
    });
    this.#open().catch((error: unknown) => this.#fail(error));
  }

  get status(): FrameSourceStatus {
    return this.#status;
  }

  /**
   * Why this browser can't play this file exactly, as the rest of a sentence ("decode HEVC"); null while it can.
   * The cure is a proxy.
   */
  get refusal(): string | null {
    return this.#refusal;
  }

  /** For benchmarks: bytes of decoded pictures that are held. */
  get held_bytes(): number {
    return this.#store.bytes;
  }

  get(frame: number): FramePicture | null {
    const sample = this.#store.get(frame);
    if (sample !== null) return asPicture(frame, sample);
    const bitmap = this.#serverPictures.get(frame);
    if (bitmap === undefined) return null;
    return {
      frame,
      from_server: true,
      draw: (context, x, y, width, height) => context.drawImage(bitmap, x, y, width, height),
    };
  }

  nearest(frame: number): FramePicture | null {
    const held = this.#store.nearest(frame);
    const preview = this.#preview;
    if (preview !== null && (held === null || Math.abs(preview.frame - frame) < Math.abs(held - frame))) {
      return asPicture(preview.frame, preview.sample);
    }
    return held === null ? null : this.get(held);
  }

  want(frame: number, direction: 1 | -1): void {
    if (frame !== this.#focus) this.#wants += 1;
    this.#focus = frame;
    this.#direction = direction;
    if (this.#problems.has(frame)) this.#askServer(frame);
    this.#wake();
  }

  problemOf(frame: number): string | null {
    return this.#problems.get(frame) ?? null;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Frees the decoder, its connection and every picture. */
  dispose(): void {
    this.#disposed = true;
    this.#listeners.clear();
    this.#endWalk();
    this.#dropPreview();
    this.#store.clear();
    for (const bitmap of this.#serverPictures.values()) bitmap.close();
    this.#serverPictures.clear();
    this.#input.dispose();
    this.#wake();
  }

  async #open(): Promise<void> {
    let track: InputVideoTrack | null;
    try {
      track = await this.#input.getPrimaryVideoTrack();
    } catch (error) {
      if (!(error instanceof UnsupportedInputFormatError)) throw error;
      this.#refuse("read this kind of file");
      return;
    }
    if (track === null) {
      this.#refuse("find a video track in this file");
      return;
    }
    if (!(await track.canDecode())) {
      this.#refuse(`decode ${(await track.getCodec())?.toUpperCase() ?? "this codec"}`);
      return;
    }
    this.#colors = assumeColors(await track.getColorSpace(), await track.getCodedHeight());
    if (this.#disposed) return;
    this.#sink = new VideoSampleSink(track);
    this.#setStatus({ state: "ready" });
    this.#scan(track).catch((error: unknown) => this.#fail(error));
    await this.#run();
  }

  /** Reads the times of all packets, compares them with the table, and learns where decoding can begin. */
  async #scan(track: InputVideoTrack): Promise<void> {
    const indexed = (await this.#input.getFormat()) instanceof IsobmffInputFormat;
    if (!indexed && this.#options.bytes > SCAN_LIMIT_BYTES) return;
    const packet_secs: number[] = [];
    const key_secs: number[] = [];
    const packets = new EncodedPacketSink(track).packets(undefined, undefined, { metadataOnly: true });
    for await (const packet of packets) {
      packet_secs.push(packet.timestamp);
      if (packet.type === "key") key_secs.push(packet.timestamp);
      if (packet_secs.length % PACKETS_PER_SLICE === 0) await nextTask();
      if (this.#disposed) return;
    }
    const match = matchTable(packet_secs, this.#options.table);
    if (!match.matches) {
      this.#refuse(`number this file's frames: ${match.reason}`);
      return;
    }
    const moved = match.container_secs.some(
      (secs, frame) => findOrdinal(this.#container_secs, secs) !== frame,
    );
    this.#container_secs = match.container_secs;
    this.#keys = key_secs
      .map((secs) => findOrdinal(match.container_secs, secs))
      .filter((frame) => frame !== null)
      .toSorted((a, b) => a - b);
    if (moved) {
      this.#endWalk();
      this.#dropPreview();
      this.#store.clear();
      this.#problems.clear();
      this.#notify();
    }
    this.#wake();
  }

  async #run(): Promise<void> {
    while (!this.#disposed && this.#refusal === null) {
      const plan = this.#plan();
      if (plan === null) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      await this.#advance(this.#steer(plan));
    }
  }

  #plan(): DecodePlan | null {
    const capacity =
      this.#picture_bytes === 0 ? CAPACITY_AT_REST : Math.floor(this.#budget / this.#picture_bytes);
    return planDecode({
      focus: this.#focus,
      direction: this.#direction,
      frame_count: this.frame_count,
      capacity: Math.max(
        SMALLEST_CAPACITY,
        this.#wants < 2 ? Math.min(CAPACITY_AT_REST, capacity) : capacity,
      ),
      has: (frame) => this.#store.has(frame) || this.#problems.has(frame),
      keyOf: (frame) => this.#keyOf(frame),
    });
  }

  #keyOf(frame: number): number {
    if (this.#keys === null) return frame;
    return this.#keys.findLast((key) => key <= frame) ?? 0;
  }

  /** Goes on with the walk in progress where that leads to the plan, or begins another. */
  #steer(plan: DecodePlan): Walk {
    const walk = this.#walk;
    if (walk !== null) {
      const next = goOn(walk, plan, this.#focus, this.#keys);
      if (next !== null) return Object.assign(walk, next);
      this.#endWalk();
    }
    const key = this.#keyOf(plan.from);
    const sink = this.#sink;
    if (sink === null) throw new Error("The clip's track is not open.");
    const started = {
      samples: sink.samples(this.#container_secs[key] ?? 0),
      from: plan.from,
      to: plan.to,
      next: key,
    };
    this.#walk = started;
    return started;
  }

  async #advance(walk: Walk): Promise<void> {
    let sample: VideoSample | null = null;
    try {
      const result = await walk.samples.next();
      if (!result.done) sample = result.value;
    } catch (error) {
      if (this.#disposed || error instanceof InputDisposedError) return;
      if (this.#walk === walk) this.#walk = null;
      if (error instanceof HttpError) throw error;
      this.#decodingFailed(walk, error);
      return;
    }
    if (this.#walk !== walk || this.#disposed) {
      sample?.close();
      return;
    }
    if (sample === null) {
      this.#walk = null;
      this.#markUnreadable(walk.next, this.frame_count - 1);
      return;
    }
    const frame = findOrdinal(this.#container_secs, sample.timestamp);
    if (frame === null) {
      sample.close();
      this.#strangers += 1;
      if (this.#strangers > STRANGERS_LIMIT && this.#keys === null) {
        this.#refuse("number this file's frames: their times differ from the server's");
      }
      return;
    }
    this.#strangers = 0;
    if (frame > walk.next && walk.next >= walk.from) this.#markUnreadable(walk.next, frame - 1);
    walk.next = frame + 1;
    if (this.#options.rotation !== null) sample.setRotation(this.#options.rotation);
    await this.#keep(walk, frame, sample);
  }

  async #keep(walk: Walk, frame: number, sample: VideoSample): Promise<void> {
    if (this.#store.has(frame)) {
      sample.close();
      return;
    }
    if (frame < walk.from) {
      if (!this.#isBetterPreview(frame)) {
        sample.close();
        return;
      }
      const { sample: preview } = await detachPicture(sample, this.#colors);
      if (this.#disposed) return preview.close();
      this.#dropPreview();
      this.#preview = { frame, sample: preview };
      this.#notify();
      return;
    }
    const picture = await detachPicture(sample, this.#colors);
    if (this.#disposed) return picture.sample.close();
    this.#picture_bytes = picture.bytes;
    this.#problems.delete(frame);
    this.#store.add(frame, picture, this.#budget, (held) =>
      getNeedlessness(held, this.#focus, this.#direction),
    );
    if (frame === this.#focus) this.#dropPreview();
    if (frame === this.#focus || !this.#store.has(this.#focus)) this.#notify();
  }

  /** Whether a picture on the way to the focus is worth showing meanwhile. */
  #isBetterPreview(frame: number): boolean {
    if (this.#store.has(this.#focus)) return false;
    const distance = Math.abs(frame - this.#focus);
    const shown = this.#preview?.frame ?? this.#store.nearest(this.#focus);
    if (shown === null) return true;
    const isKey = this.#keys?.includes(frame) ?? false;
    return distance < Math.abs(shown - this.#focus) && (isKey || distance % 12 === 0);
  }

  #decodingFailed(walk: Walk, error: unknown): void {
    // A browser takes decoders away from tabs that have not been looked at for a while.
    if (error instanceof DOMException && error.name === "QuotaExceededError") return;
    const next_key = this.#keys?.find((key) => key > walk.next) ?? this.frame_count;
    this.#markUnreadable(walk.next, Math.max(walk.next, next_key - 1));
  }

  #markUnreadable(from: number, to: number): void {
    if (to < from) return;
    for (let frame = from; frame <= to; frame += 1) {
      if (this.#store.has(frame)) continue;
      this.#problems.set(frame, `This browser could not decode frame ${frame}.`);
    }
    if (this.#problems.has(this.#focus)) this.#askServer(this.#focus);
    this.#notify();
  }

  #askServer(frame: number): void {
    if (this.#serverPictures.has(frame)) return;
    this.#options.fetchPicture(frame).then(
      (bitmap) => {
        if (this.#disposed || this.#serverPictures.has(frame)) return bitmap.close();
        for (const [other, old] of [...this.#serverPictures].slice(0, -SMALLEST_CAPACITY)) {
          old.close();
          this.#serverPictures.delete(other);
        }
        this.#serverPictures.set(frame, bitmap);
        this.#problems.set(
          frame,
          `This browser could not decode frame ${frame}; the server's picture is shown.`,
        );
        this.#notify();
      },
      (error: unknown) => {
        if (this.#disposed) return;
        const reason = error instanceof Error ? error.message : String(error);
        this.#problems.set(frame, `Frame ${frame} could not be decoded, here or by the server: ${reason}`);
        this.#notify();
      },
    );
  }

  async #fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    // Few connections are open to a server: the picture on screen goes before those of the film strip. And a request for
    // a file of which another part is on its way into the browser's cache would wait for that.
    const response = await this.#options.fetch(input, { ...init, cache: "no-store", priority: "high" });
    if (!response.ok) throw new HttpError(`The server answered ${response.status} for the clip's file.`);
    if (this.#status.state === "unreachable") this.#setStatus({ state: "ready" });
    return response;
  }

  #retryDelay(attempts: number, error: unknown): number | null {
    if (this.#disposed || error instanceof HttpError) return null;
    if (this.#status.state !== "unreachable") this.#setStatus({ state: "unreachable" });
    return Math.min(0.25 * 2 ** attempts, 4);
  }

  #refuse(refusal: string): void {
    this.#refusal = refusal;
    this.#setStatus({ state: "failed", problem: `This browser can't ${refusal}.` });
    this.#wake();
  }

  #fail(error: unknown): void {
    if (this.#disposed || error instanceof InputDisposedError) return;
    const problem = error instanceof Error ? error.message : String(error);
    this.#setStatus({ state: "failed", problem: `The clip can't be played: ${problem}` });
  }

  #setStatus(status: FrameSourceStatus): void {
    this.#status = status;
    this.#notify();
  }

  #endWalk(): void {
    const samples = this.#walk?.samples;
    this.#walk = null;
    samples?.return().catch((error: unknown) => this.#fail(error));
  }

  #dropPreview(): void {
    this.#preview?.sample.close();
    this.#preview = null;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function asPicture(frame: number, sample: VideoSample): FramePicture {
  return {
    frame,
    from_server: false,
    draw: (context, x, y, width, height) => sample.draw(context, x, y, width, height),
  };
}

/** Pictures lower than this are standard definition. */
const HIGH_DEFINITION = 720;

/**
 * What players take for granted of a video that does not name its colours: BT.601 in standard definition. WebCodecs would
 * take BT.709 for any; null leaves it at that.
 */
function assumeColors(
  { matrix, fullRange }: VideoColorSpaceInit,
  coded_height: number,
): VideoColorSpaceInit | null {
  if (matrix != null || coded_height >= HIGH_DEFINITION) return null;
  return {
    primaries: "smpte170m",
    transfer: "smpte170m",
    matrix: "smpte170m",
    fullRange: fullRange ?? false,
  };
}

/** Lets the browser paint and answer input before going on. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
