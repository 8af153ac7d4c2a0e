import { SAMPLING_SLACK_SECS } from "@sightline/core/clips";
import { Frame } from "node-av";

/** Chooses as core's `getSampledFrames` does, while the times still come in: a picture is known to be sampled only once the next one has come. */
export function createSampler(
  intervalSecs: number,
  emit: (ordinal: number, time_secs: number, frame: Frame) => void,
) {
  const held = new Frame();
  held.alloc();
  let heldOrdinal = -1;
  let heldTime = 0;
  let emitted = -1;
  let next = 0;
  const flush = () => {
    if (heldOrdinal === emitted) return;
    emit(heldOrdinal, heldTime, held);
    emitted = heldOrdinal;
  };
  return {
    add(ordinal: number, time_secs: number, frame: Frame) {
      if (ordinal > 0 && time_secs > next * intervalSecs + SAMPLING_SLACK_SECS) {
        flush();
        while (next * intervalSecs + SAMPLING_SLACK_SECS < time_secs) next += 1;
      }
      held.unref();
      held.ref(frame);
      heldOrdinal = ordinal;
      heldTime = time_secs;
    },
    end: flush,
    close: () => held.free(),
  };
}
