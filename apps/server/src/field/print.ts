/** Prints what becomes of every file of a folder: npx tsx apps/server/src/field/print.ts [FOLDER] */
import { join } from "node:path";
import { createDecoderPool } from "../media/decoder-pool.ts";
import { type FieldRow, listField, printField, tryFile } from "./field.ts";
import { findShared } from "./shared.ts";

const shared = findShared();
const folder = process.argv[2] ?? (shared === null ? null : join(shared, "data", "videos"));
if (folder === null) {
  console.error("Name a folder of videos, or set SIGHTLINE_SHARED.");
  process.exitCode = 64;
} else {
  const pool = createDecoderPool(1);
  const rows: FieldRow[] = [];
  for (const file of listField(folder)) rows.push(await tryFile(pool, folder, file));
  pool.close();
  console.log(printField(rows));
}
