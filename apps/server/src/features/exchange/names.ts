/** A name that any file system and archive takes: letters, digits and a few signs, never a hidden file. */
export function toFileName(name: string): string {
  const safe = name
    .normalize("NFC")
    .replace(/[^\p{L}\p{N} ._()=+-]/gu, "_")
    .replace(/^[. ]+|[. ]+$/g, "")
    .slice(0, 120);
  return safe === "" ? "clip" : safe;
}

/** A file's name without its ending. */
export function toStem(name: string): string {
  return name.replace(/\.[a-z0-9]{1,5}$/i, "") || name;
}

/** Names of which no two are alike, not even in case: the second `walk.mp4` is `walk (2).mp4`. */
export function makeUnlike(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const [, stem = name, ending = ""] = /^(.*?)(\.[a-z0-9]{1,5})?$/is.exec(name) ?? [];
    let unlike = name;
    for (let count = 2; taken.has(unlike.toLowerCase()); count += 1) unlike = `${stem} (${count})${ending}`;
    taken.add(unlike.toLowerCase());
    return unlike;
  });
}

/** A header by which a browser saves an answer under a name. */
export function toDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\]/g, "_");
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}
