import { type DetailedError, Upload as TusUpload } from "tus-js-client";
import { create } from "zustand";
import { client } from "./clients.ts";
import { loseSession } from "./session.ts";

/** How many files travel at once; the others wait. */
const AT_ONCE = 2;

/** Waits between attempts, in milliseconds; starts over whenever bytes get through. */
const RETRY_DELAYS = [500, 1000, 2000, 4000, 8000, 15_000, 30_000];

/** One file on its way to the library, from this computer or from a folder of the server. */
export type Upload = {
  upload_id: string;
  name: string;
  /** What it is shown with; null where how far it is cannot be told. */
  bytes: number;
  sent: number | null;
  /** held: stands still until a person goes on; arrived: it is in the library. */
  state: "waiting" | "sending" | "held" | "arrived" | "failed";
  /** The clip that it became. */
  clip_id: string | null;
  /** What is worth saying of it: that the library had it already. */
  note: string | null;
  /** What went wrong and what to do. */
  problem: string | null;
};

/** All files of this tab, oldest first. */
export const useUploads = create<{ uploads: readonly Upload[] }>(() => ({ uploads: [] }));

/** What moves a file; `hold` is null where it can't be stopped on the way. */
type Transfer = { start: () => void; hold: (() => void) | null; cancel: () => void };

const transfers = new Map<string, Transfer>();

/** Adds files to the library. A file of which part has arrived before goes on from there. */
export function addFiles(files: readonly File[]): void {
  for (const file of files) enqueue(file.name, file.size, (upload_id) => createTusTransfer(upload_id, file));
  startNext();
}

/** Adds files that lie in a folder of the server. */
export function addFromFolder(
  folder_id: string,
  files: readonly { name: string; path: string; bytes: number }[],
): void {
  for (const { name, path, bytes } of files) {
    enqueue(name, bytes, (upload_id) => createFolderTransfer(upload_id, folder_id, path));
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

/** True when a file can be stopped and gone on with. */
export function canHold(upload_id: string): boolean {
  return transfers.get(upload_id)?.hold !== null;
}

/** Lets a file stand still; what has arrived stays on the server. */
export function holdUpload(upload_id: string): void {
  transfers.get(upload_id)?.hold?.();
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
  transfers.get(upload_id)?.cancel();
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

function enqueue(name: string, bytes: number, createTransfer: (upload_id: string) => Transfer): void {
  const upload_id = crypto.randomUUID();
  transfers.set(upload_id, createTransfer(upload_id));
  const upload: Upload = {
    upload_id,
    name,
    bytes,
    sent: 0,
    state: "waiting",
    clip_id: null,
    note: null,
    problem: null,
  };
  useUploads.setState(({ uploads }) => ({ uploads: [...uploads, upload] }));
}

function change(upload_id: string, fields: Partial<Upload>): void {
  useUploads.setState(({ uploads }) => ({
    uploads: uploads.map((upload) => (upload.upload_id === upload_id ? { ...upload, ...fields } : upload)),
  }));
}

function isSending(upload_id: string): boolean {
  return useUploads
    .getState()
    .uploads.some((upload) => upload.upload_id === upload_id && upload.state === "sending");
}

function startNext(): void {
  const { uploads } = useUploads.getState();
  const free = AT_ONCE - uploads.filter(({ state }) => state === "sending").length;
  for (const { upload_id } of uploads
    .filter(({ state }) => state === "waiting")
    .slice(0, Math.max(0, free))) {
    change(upload_id, { state: "sending" });
    transfers.get(upload_id)?.start();
  }
}

function arrive(upload_id: string, clip_id: string | null, note: string | null): void {
  const bytes = useUploads.getState().uploads.find((upload) => upload.upload_id === upload_id)?.bytes ?? 0;
  change(upload_id, { state: "arrived", sent: bytes, clip_id, note });
  transfers.delete(upload_id);
  startNext();
}

function fail(upload_id: string, problem: string): void {
  change(upload_id, { state: "failed", problem });
  startNext();
}

function createFolderTransfer(upload_id: string, folder_id: string, path: string): Transfer {
  const bringIn = async () => {
    change(upload_id, { sent: null });
    const [result] = await client.clips.addFromFolder.mutate({ folder_id, paths: [path] });
    if (result === undefined) throw new Error("The server said nothing about this file.");
    if ("problem" in result) fail(upload_id, result.problem);
    else arrive(upload_id, result.added.clip.clip_id, result.added.note);
  };
  return {
    start: () =>
      void bringIn().catch((error: unknown) =>
        fail(upload_id, error instanceof Error ? error.message : String(error)),
      ),
    hold: null,
    cancel: () => {},
  };
}

function createTusTransfer(upload_id: string, file: File): Transfer {
  let drawn = 0;
  const upload = new TusUpload(file, {
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
      return status < 400 || status >= 500 || status === 409 || status === 423;
    },
    onSuccess({ lastResponse }) {
      // The browser says null where a header is missing, whatever the type says.
      const note: string | null | undefined = lastResponse.getHeader("x-clip-note");
      arrive(upload_id, lastResponse.getHeader("x-clip-id") ?? null, note ? decodeURIComponent(note) : null);
    },
    onError: (error) => fail(upload_id, explain(error)),
  });

  const begin = async () => {
    const [previous] = upload.url === null ? await upload.findPreviousUploads() : [];
    if (previous !== undefined) upload.resumeFromPreviousUpload(previous);
    if (isSending(upload_id)) upload.start();
  };
  return {
    start: () => void begin(),
    hold: () => void upload.abort(),
    cancel: () => {
      upload.abort(true).catch(() => {
        // The server is away or has forgotten the part already; it clears abandoned parts by itself.
      });
    },
  };
}

/** The server's own sentence where it gave one. */
function explain(error: Error | DetailedError): string {
  const response = "originalResponse" in error ? error.originalResponse : null;
  if (response === null)
    return "The server cannot be reached. Go on when it is back: what has arrived is kept.";
  const body = response.getBody().trim();
  const message = body.startsWith("{") ? (JSON.parse(body) as { message?: unknown }).message : body;
  if (typeof message === "string" && message !== "" && message.length < 400 && !message.startsWith("<"))
    return message;
  return `The server answered ${response.getStatus()}. Try again; if it stays so, look at the server's terminal.`;
}
