import type { Page } from "@playwright/test";

/**
 * own: the canvas looks most like the server's picture of its own frame; neighbour: more like the one before or after;
 * far: like none of them; still: the neighbours look the same, so nothing can be told.
 */
export type Likeness = "own" | "neighbour" | "far" | "still";

/**
 * Goes to frames by the number field and tells which of the server's pictures each looks most like. Brightness is compared
 * after the best linear fit of colours: the two decoders may read untagged colours by different tables.
 *
 * @param last  The clip's last ordinal.
 */
export function compareFrames(
  page: Page,
  clip_id: string,
  frames: readonly number[],
  last: number,
): Promise<Likeness[]> {
  return page.evaluate(
    async ([id, wanted, end]) => {
      /** Every so many pixels are looked at. */
      const STRIDE = 3;
      /** Pictures that differ by less, in grey levels, differ no more than JPEG makes them. */
      const ALIKE = 1;
      const FAR = 6;
      type Picture = { red: Float64Array; green: Float64Array; blue: Float64Array };
      const canvas = document.querySelector<HTMLCanvasElement>("[data-testid=frame-canvas]");
      if (canvas === null) throw new Error("no player");
      const { width, height } = canvas;
      // Both are scaled once, from the full picture to the canvas: scaling twice costs more than a neighbour differs.
      const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
      if (context === null) throw new Error("no canvas");
      const length = Math.floor((width * height) / STRIDE);

      const measure = (source: CanvasImageSource): Picture => {
        context.imageSmoothingQuality = "high";
        context.drawImage(source, 0, 0, width, height);
        const { data } = context.getImageData(0, 0, width, height);
        const channel = (offset: number) =>
          Float64Array.from({ length }, (_, i) => data[4 * STRIDE * i + offset] ?? 0);
        return { red: channel(0), green: channel(1), blue: channel(2) };
      };

      /** Mean residual of green in `target` after fitting it by 1, red, green and blue of `shown`. */
      const differ = (shown: Picture, target: Picture): number => {
        const columns = [new Float64Array(length).fill(1), shown.red, shown.green, shown.blue];
        const dot = (a: Float64Array, b: Float64Array) =>
          a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
        const rows = columns.map((a, i) => [
          ...columns.map((b, j) => dot(a, b) + (i === j ? 1e-3 : 0)),
          dot(a, target.green),
        ]);
        for (const [i, pivot] of rows.entries()) {
          for (const row of rows.slice(i + 1)) {
            const factor = (row[i] ?? 0) / (pivot[i] ?? 1);
            for (let j = i; j < row.length; j += 1) row[j] = (row[j] ?? 0) - factor * (pivot[j] ?? 0);
          }
        }
        const fit = [0, 0, 0, 0];
        for (let i = 3; i >= 0; i -= 1) {
          const row = rows[i] ?? [];
          const known = fit.reduce((sum, value, j) => sum + (j > i ? value * (row[j] ?? 0) : 0), 0);
          fit[i] = ((row[4] ?? 0) - known) / (row[i] ?? 1);
        }
        let sum = 0;
        for (let p = 0; p < length; p += 1) {
          const fitted = columns.reduce((all, column, i) => all + (fit[i] ?? 0) * (column[p] ?? 0), 0);
          sum += Math.abs((target.green[p] ?? 0) - fitted);
        }
        return sum / length;
      };

      const served = new Map<number, Picture>();
      const fetchServed = async (frame: number): Promise<Picture> => {
        const known = served.get(frame);
        if (known !== undefined) return known;
        const response = await fetch(`/media/clips/${id}/frames/${frame}.jpg?width=1280`);
        const picture = measure(await createImageBitmap(await response.blob()));
        served.set(frame, picture);
        return picture;
      };

      const show = async (frame: number): Promise<void> => {
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
        const others: number[] = [];
        for (const other of [frame - 1, frame + 1]) {
          if (other < 0 || other > end) continue;
          const picture = await fetchServed(other);
          if (differ(picture, own) > ALIKE) others.push(differ(shown, picture));
        }
        if (distance > FAR) verdicts.push("far");
        else if (others.length === 0) verdicts.push("still");
        else verdicts.push(others.every((other) => distance < other) ? "own" : "neighbour");
      }
      return verdicts;
    },
    [clip_id, frames, last] as const,
  );
}
