/** A server that has asked a decoder for one thing, to be killed while it waits. */
import { createDecoderPool } from "../decoder-pool.ts";

const [processFile = "", file = ""] = process.argv.slice(2);
const pool = createDecoderPool(1, { processFile });
await pool.run("read", { file, thumbs_dir: "", interval_secs: 1 }, { lane: "background" });
