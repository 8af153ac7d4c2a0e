/** Endings by which a file in a dropped folder is taken for a video; a file dropped by itself is always taken. */
const VIDEO = /\.(mp4|m4v|mov|mkv|webm|avi|gif|ts|m2ts|mts|mpe?g|flv|ogv|wmv|3g[p2])$/i;

/** The files that were dropped; of folders, the videos in them at any depth. */
export async function readDropped(transfer: DataTransfer): Promise<File[]> {
  // The transfer empties itself when the event is over, so entries are taken out before anything is awaited.
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  if (entries.length === 0) return [...transfer.files];
  const files = await Promise.all(entries.map((entry) => readEntry(entry, true)));
  return files.flat();
}

async function readEntry(entry: FileSystemEntry, isAlone: boolean): Promise<File[]> {
  if (entry instanceof FileSystemFileEntry) {
    if (!isAlone && !VIDEO.test(entry.name)) return [];
    return [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))];
  }
  if (!(entry instanceof FileSystemDirectoryEntry)) return [];
  const reader = entry.createReader();
  const files: File[] = [];
  for (;;) {
    // A reader hands out a hundred at a time, and nothing when it is through.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (batch.length === 0) return files;
    for (const inner of batch) files.push(...(await readEntry(inner, false)));
  }
}
