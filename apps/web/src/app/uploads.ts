import { type DetailedError, Upload as TusUpload } from "tus-js-client";
import { create } from "zustand";
import { loseSession } from "./session.ts";

/** How many files travel at once; the others wait. */
const AT_ONCE = 2;

/** Waits between attempts, in milliseconds; starts over whenever bytes get through. */
const RETRY_DELAYS = [500, 1000, 2000, 4000, 8000, 15_000, 30_000];

/** One file on its way to the library. */
export type Upload = {
  upload_id: string;
  name: string;
  bytes: number;
  sent: number;
  /** held: stands still until a person goes on; arrived: all of it is on the server. */
  state: "waiting" | "sending" | "held" | "arrived" | "failed";
  /** The clip that it became. */
  clip_id: string | null;
  /** True when the library had it already. */
  already: boolean;
  problem: string | null;
};

/** All files of this tab, oldest first. */
export const useUploads = create<{ uploads: readonly Upload[] }>(() => ({ uploads: [] }));

const transfers = new Map<string, TusUpload>();

/** Adds files to the library. A file of which part has arrived before goes on from there. */
export function addFiles(files: readonly File[]): void {
  for (const file of files) {
    const upload_id = crypto.randomUUID();
    transfers.set(upload_id, createTransfer(upload_id, file));
    const upload: Upload = {
      upload_id,
      name: file.name,
      bytes: file.size,
      sent: 0,
      state: "waiting",
      clip_id: null,
      already: false,
      problem: null,
    };
    useUploads.setState(({ uploads }) => ({ uploads: [...uploads, upload] }));
  }
  startNext();
}

/** Opens the browser's file picker. */
export function pickFiles(onPicked: () => void = () => {}): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = "video/*,image/gif,.mkv,.avi,.ts,.m2ts,.mts,.flv,.wmv,.3gp";
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    if (files.length === 0) return;
    onPicked();
    addFiles(files);
  });
  input.click();
}

/** Lets a file stand still; what has arrived stays on the server. */
export function holdUpload(upload_id: string): void {
  void transfers.get(upload_id)?.abort();
  change(upload_id, { state: "held" });
  startNext();
}

/** Goes on with a held or failed file. */
export function continueUpload(upload_id: string): void {
  change(upload_id, { state: "waiting", problem: null });
  startNext();
}

/** Gives a file up and removes what has arrived of it. */
export function cancelUpload(upload_id: string): void {
  transfers
    .get(upload_id)
    ?.abort(true)
    .catch(() => {
      // The server is away or has forgotten the part already; it clears abandoned parts by itself.
    });
  forgetUpload(upload_id);
  startNext();
}

/** Takes a file that has ended out of the list. */
export function forgetUpload(upload_id: string): void {
  transfers.delete(upload_id);
  useUploads.setState(({ uploads }) => ({
    uploads: uploads.filter((upload) => upload.upload_id !== upload_id),
  }));
}

function change(upload_id: string, fields: Partial<Upload>): void {
  useUploads.setState(({ uploads }) => ({
    uploads: uploads.map((upload) => (upload.upload_id === upload_id ? { ...upload, ...fields } : upload)),
  }));
}

function startNext(): void {
  const { uploads } = useUploads.getState();
  const free = AT_ONCE - uploads.filter(({ state }) => state === "sending").length;
  for (const { upload_id } of uploads
    .filter(({ state }) => state === "waiting")
    .slice(0, Math.max(0, free))) {
    change(upload_id, { state: "sending" });
    void start(upload_id);
  }
}

async function start(upload_id: string): Promise<void> {
  const transfer = transfers.get(upload_id);
  if (transfer === undefined) return;
  const [previous] = transfer.url === null ? await transfer.findPreviousUploads() : [];
  if (previous !== undefined) transfer.resumeFromPreviousUpload(previous);
  const isWanted = useUploads
    .getState()
    .uploads.some((upload) => upload.upload_id === upload_id && upload.state === "sending");
  if (isWanted) transfer.start();
}

function createTransfer(upload_id: string, file: File): TusUpload {
  let drawn = 0;
  return new TusUpload(file, {
    endpoint: "/uploads",
    metadata: { filename: file.name },
    // One request a chunk: a stop, a lost connection or a killed server costs at most this much.
    chunkSize: 16 * 1024 * 1024,
    retryDelays: RETRY_DELAYS,
    removeFingerprintOnSuccess: true,
    onProgress(sent, bytes) {
      const now = performance.now();
      if (now - drawn < 150 && sent < bytes) return;
      drawn = now;
      change(upload_id, { sent });
    },
    onAfterResponse(_request, response) {
      if (response.getStatus() === 401) loseSession();
    },
    onShouldRetry(error) {
      const status = error.originalResponse?.getStatus() ?? 0;
      return status < 400 || status >= 500 || status === 423 || status === 409;
    },
    onSuccess({ lastResponse }) {
      change(upload_id, {
        state: "arrived",
        sent: file.size,
        clip_id: lastResponse.getHeader("x-clip-id") ?? null,
        already: lastResponse.getHeader("x-clip-already") === "true",
      });
      transfers.delete(upload_id);
      startNext();
    },
    onError(error) {
      change(upload_id, { state: "failed", problem: explain(error) });
      startNext();
    },
  });
}

/** The server's own sentence where it gave one. */
function explain(error: Error | DetailedError): string {
  const response = "originalResponse" in error ? error.originalResponse : null;
  const body = response?.getBody().trim() ?? "";
  if (body.startsWith("{")) {
    const { message } = JSON.parse(body) as { message?: unknown };
    if (typeof message === "string") return message;
  }
  if (body !== "" && body.length < 400 && !body.startsWith("<")) return body;
  return response === null
    ? "The server cannot be reached. Go on when it is back: what has arrived is kept."
    : `The server answered ${response.getStatus()}. Try again; if it stays so, look at the server's terminal.`;
}
