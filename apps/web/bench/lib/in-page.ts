/** What a benchmark does inside the clip's page: press a key, wait for the picture, read it. */
import type { Page } from "@playwright/test";

export type Strip = {
  width: number;
  /** The green channel of the top eighth of the canvas, base64. */
  green: string;
};

/** Steps from frame 0 to the end and reads the top of each picture. */
export function readStrips(page: Page, frame_count: number): Promise<Strip[]> {
  return page.evaluate(async (count) => {
    const canvas = document.querySelector<HTMLCanvasElement>("[data-testid=frame-canvas]");
    if (canvas === null) throw new Error("no player");
    const read = () => {
      const rows = Math.floor(canvas.height / 8);
      const data =
        canvas.getContext("2d")?.getImageData(0, 0, canvas.width, rows).data ?? new Uint8ClampedArray();
      let text = "";
      for (let i = 1; i < data.length; i += 4) text += String.fromCharCode(data[i] ?? 0);
      return { width: canvas.width, green: btoa(text) };
    };
    const strips = [];
    for (let frame = 0; frame < count; frame += 1) {
      if (frame > 0) document.dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true }));
      const began = performance.now();
      while (canvas.dataset.frame !== String(frame) || canvas.dataset.exact !== "true") {
        if (performance.now() - began > 20_000) throw new Error(`frame ${frame} did not come`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      strips.push(read());
    }
    return strips;
  }, frame_count);
}

/** Steps at 60 frames a second, after a moment to prefetch, and measures from key to picture, in milliseconds. */
export function stepThrough(page: Page, key: "." | ",", steps: number): Promise<number[]> {
  return page.evaluate(
    async ([pressed, count]) => {
      const canvas = document.querySelector<HTMLCanvasElement>("[data-testid=frame-canvas]");
      if (canvas === null) throw new Error("no player");
      const direction = pressed === "." ? 1 : -1;
      const first = Number(canvas.dataset.frame);
      const press = () =>
        document.dispatchEvent(new KeyboardEvent("keydown", { key: pressed, bubbles: true }));
      const show = async (frame: number) => {
        const began = performance.now();
        press();
        while (canvas.dataset.frame !== String(frame) || canvas.dataset.exact !== "true") {
          if (performance.now() - began > 20_000) throw new Error(`frame ${frame} did not come`);
          await new Promise<void>((resolve) => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => resolve();
            port2.postMessage(null);
          });
        }
        return performance.now() - began;
      };
      await show(first + direction);
      await show(first + 2 * direction);
      await new Promise((resolve) => setTimeout(resolve, 2500));
      const taken: number[] = [];
      for (let step = 3; step <= count; step += 1) {
        taken.push(await show(first + step * direction));
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return taken;
    },
    [key, steps] as const,
  );
}

/**
 * Which of the server's pictures each frame's canvas looks most like.
 *
 * @returns own: the frame itself; neighbour: the one before or after; far: none of them; still: the neighbours look the
 *   same, so nothing can be told.
 */
export function compareFrames(
  page: Page,
  clip_id: string,
  frames: readonly number[],
  last: number,
): Promise<("own" | "neighbour" | "far" | "still")[]> {
  return page.evaluate(
    async ([id, wanted, end]) => {
      const SIDE = 96;
      const ALIKE = 0.4;
      const FAR = 12;
      const canvas = document.querySelector<HTMLCanvasElement>("[data-testid=frame-canvas]");
      const context = new OffscreenCanvas(SIDE, SIDE).getContext("2d", { willReadFrequently: true });
      if (canvas === null || context === null) throw new Error("no player");
      const measure = (source: CanvasImageSource) => {
        context.imageSmoothingQuality = "high";
        context.drawImage(source, 0, 0, SIDE, SIDE);
        const { data } = context.getImageData(0, 0, SIDE, SIDE);
        return Float32Array.from(
          { length: SIDE * SIDE },
          (_, i) => 0.3 * (data[4 * i] ?? 0) + 0.59 * (data[4 * i + 1] ?? 0) + 0.11 * (data[4 * i + 2] ?? 0),
        );
      };
      const differ = (a: Float32Array, b: Float32Array) =>
        a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0) / a.length;
      const served = new Map<number, Float32Array>();
      const fetchServed = async (frame: number) => {
        const known = served.get(frame);
        if (known !== undefined) return known;
        const response = await fetch(`/media/clips/${id}/frames/${frame}.jpg?width=1280`);
        const measured = measure(await createImageBitmap(await response.blob()));
        served.set(frame, measured);
        return measured;
      };
      const show = async (frame: number) => {
        document.querySelector<HTMLElement>("[data-testid=frame-number]")?.click();
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const field = document.querySelector<HTMLInputElement>("form input[inputmode=numeric]");
        if (field === null) throw new Error("no field for the frame");
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, String(frame));
        field.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((resolve) => requestAnimationFrame(resolve));
        field.form?.requestSubmit();
        const began = performance.now();
        while (canvas.dataset.frame !== String(frame) || canvas.dataset.exact !== "true") {
          if (performance.now() - began > 20_000) throw new Error(`frame ${frame} did not come`);
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      };
      const verdicts: ("own" | "neighbour" | "far" | "still")[] = [];
      for (const frame of wanted) {
        await show(frame);
        const shown = measure(canvas);
        const own = await fetchServed(frame);
        const distance = differ(shown, own);
        const neighbours: number[] = [];
        let is_still = true;
        for (const other of [frame - 1, frame + 1]) {
          if (other < 0 || other > end) continue;
          const picture = await fetchServed(other);
          if (differ(picture, own) < ALIKE) continue;
          is_still = false;
          neighbours.push(differ(shown, picture));
        }
        if (distance > FAR) verdicts.push("far");
        else if (is_still) verdicts.push("still");
        else verdicts.push(neighbours.every((other) => distance < other) ? "own" : "neighbour");
      }
      return verdicts;
    },
    [clip_id, frames, last] as const,
  );
}
