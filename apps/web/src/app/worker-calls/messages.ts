/** What goes to a worker: a call, or that an earlier one is no longer wanted. */
export type ToWorker<Call> = { type: "call"; id: number; call: Call } | { type: "cancel"; id: number };

/** What comes back to a call: notes on the way, then one end. */
export type FromWorker<Note, Result> =
  | { type: "note"; id: number; note: Note }
  | { type: "done"; id: number; result: Result }
  | { type: "failed"; id: number; message: string }
  | { type: "cancelled"; id: number };
