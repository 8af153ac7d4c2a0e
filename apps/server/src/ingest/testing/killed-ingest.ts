import { metricsLine } from "@sightline/core/testing";
import { openDatabase } from "../../db/open.ts";
import { createIngest } from "../ingest.ts";
import { fileOf, readAt } from "./chunks.ts";

/**
 * Ingests 600 lines into a database, a few at a time, and kills itself with its Nth transaction written and not yet
 * committed. `killed-ingest.ts DATABASE N`; N = 0 goes to the end.
 */
const [file = "", nth = "0"] = process.argv.slice(2);
let transactions = 0;
const ingest = createIngest(openDatabase(file), {
  before_commit() {
    transactions += 1;
    if (transactions === Number(nth)) process.kill(process.pid, "SIGKILL");
  },
});
const bytes = fileOf(
  Array.from({ length: 600 }, (_, i) => metricsLine({ seq: i + 1 }, i + 1, { loss: Math.sin(i) })),
);
for (;;) {
  const cursor = ingest.cursors({ run_id: "run-a", attempt: 1 }).find(({ stream }) => stream === "events");
  const chunk = cursor ? readAt(bytes, cursor, 4000) : null;
  if (!chunk) break;
  ingest.apply([chunk]);
}
