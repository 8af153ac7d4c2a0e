import { lstat, readdir, statfs } from "node:fs/promises";
import { join } from "node:path";

/** What the data folder takes on the disk. */
export type Storage = {
  /** By what it is for; the database with its write-ahead log is one part. */
  parts: { name: "clips" | "uploads" | "runs" | "database" | "other"; bytes: number }[];
  disk_free_bytes: number;
  disk_total_bytes: number;
};

/** Measures the data folder. Files that go while it looks count as nothing. */
export async function measureStorage(dataDir: string): Promise<Storage> {
  const sums: Record<Storage["parts"][number]["name"], number> = {
    clips: 0,
    uploads: 0,
    runs: 0,
    database: 0,
    other: 0,
  };
  for (const name of await readdir(dataDir)) {
    sums[getPart(name)] += await sumBytes(join(dataDir, name));
  }
  const disk = await statfs(dataDir);
  return {
    parts: Object.entries(sums).map(([name, bytes]) => ({ name: name as keyof typeof sums, bytes })),
    disk_free_bytes: disk.bavail * disk.bsize,
    disk_total_bytes: disk.blocks * disk.bsize,
  };
}

function getPart(name: string): Storage["parts"][number]["name"] {
  if (name === "clips" || name === "uploads") return name;
  if (name === "runs" || name === "hosts") return "runs";
  return name.startsWith("sightline.db") || name === "backups" ? "database" : "other";
}

async function sumBytes(path: string): Promise<number> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.size;
  let sum = 0;
  for (const name of await readdir(path).catch(() => [])) sum += await sumBytes(join(path, name));
  return sum;
}
