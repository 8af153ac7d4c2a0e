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
