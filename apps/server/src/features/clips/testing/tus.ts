/** A browser's side of a resumable upload, in the few requests that it takes. */
export type TusTarget = { url: string; headers: Record<string, string> };

export type TusAnswer = { status: number; headers: Headers; body: string };

const TUS = { "tus-resumable": "1.0.0" };

async function send(target: TusTarget, path: string, init: RequestInit): Promise<TusAnswer> {
  const response = await fetch(new URL(path, target.url), {
    ...init,
    headers: { ...target.headers, ...TUS, ...(init.headers as Record<string, string>) },
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** Announces a file; the answer's `location` is where its bytes go. */
export function createUpload(
  target: TusTarget,
  name: string,
  length: number | "deferred",
): Promise<TusAnswer> {
  return send(target, "/uploads", {
    method: "POST",
    headers: {
      ...(length === "deferred" ? { "upload-defer-length": "1" } : { "upload-length": String(length) }),
      "upload-metadata": `filename ${Buffer.from(name).toString("base64")}`,
    },
  });
}

export function sendBytes(
  target: TusTarget,
  location: string,
  offset: number,
  bytes: Uint8Array,
): Promise<TusAnswer> {
  return send(target, location, {
    method: "PATCH",
    headers: { "upload-offset": String(offset), "content-type": "application/offset+octet-stream" },
    body: new Uint8Array(bytes),
  });
}

/** How much of an upload has arrived. */
export const askOffset = (target: TusTarget, location: string) => send(target, location, { method: "HEAD" });

export const cancelUpload = (target: TusTarget, location: string) =>
  send(target, location, { method: "DELETE" });

/** Sends a whole file, and returns the last answer. */
export async function upload(target: TusTarget, name: string, bytes: Uint8Array): Promise<TusAnswer> {
  const created = await createUpload(target, name, bytes.length);
  const location = created.headers.get("location");
  if (location === null) return created;
  return sendBytes(target, location, 0, bytes);
}
