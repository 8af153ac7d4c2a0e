/**
 * The words of Sightline. One name for one thing: the interface, the code, the wire and the database use these.
 *
 * - clip: one video file, known by the SHA-256 of its bytes.
 * - frame: a picture of a clip, known by its 0-based ordinal in presentation order and its time in seconds from
 *   the clip's start; both come from the sample table, never from rate × time.
 * - sampled frame: a frame that the extractor looked at.
 * - key-frame: a sampled frame that was kept, with the evidence and the rule that kept it.
 * - triple: what changed at one key-frame: action, change, relevant.
 * - question, trace, group (the G traces sampled for one prompt in one generation).
 * - reward part: format, accuracy or consistency; raw value, weight in force, weighted share.
 * - judge: the frozen reference model that answers from question and reasoning alone.
 * - run: one training experiment; attempt: one process that works on it; stage: a stretch with one set of weights.
 * - host: a machine or cluster that takes runs. executor: the way to reach it.
 *
 * The package has no barrel: import `@sightline/core/<noun>`.
 */
export {};
