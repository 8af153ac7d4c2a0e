import { formatBytes } from "@sightline/core/format";

/**
 * A file's bytes as base64.
 *
 * @param most  Bytes that the server takes; a longer file is refused here, since the server would only cut the line.
 */
export async function toBase64(file: File, most: number): Promise<string> {
  if (file.size > most)
    throw new Error(
      `${file.name} has ${formatBytes(file.size)}, and ${formatBytes(most)} at most can be taken.`,
    );
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("the file could not be read"));
    reader.readAsDataURL(file);
  });
  return url.slice(url.indexOf(",") + 1);
}
