/** What came of a reasoner at one moment; some servers send the reasoning apart from the answer. */
export type TracePiece = { kind: "reasoning" | "text"; text: string };

/**
 * One text of all pieces, the reasoning between think tags. A reasoning that nothing followed stays open.
 */
export function joinPieces(pieces: readonly TracePiece[]): string {
  let text = "";
  let isReasoning = false;
  for (const piece of pieces) {
    if (piece.kind === "reasoning" && !isReasoning) text += "<think>";
    if (piece.kind === "text" && isReasoning) text += "</think>\n";
    isReasoning = piece.kind === "reasoning";
    text += piece.text;
  }
  return text;
}
