/** A file that cannot be used, or not wholly. The message is a sentence for the person who brought it. */
export class MediaProblem extends Error {
  override name = "MediaProblem";
}
