import { createCvatReader, ExchangeProblem, type ReadKeyFrames } from "@sightline/core/exchange";
import { SaxesParser } from "saxes";
import { createBreath } from "../../media/breath.ts";

/** Characters that are parsed at a time. */
const STEP = 2 ** 16;
/** CVAT's documents are five deep. */
const MOST_DEPTH = 32;

/**
 * Reads CVAT's XML. Nothing in it is fetched, and no entity of its own is expanded: a document that declares any is
 * refused.
 *
 * @throws ExchangeProblem that names the line.
 */
export async function readXml(text: string): Promise<ReadKeyFrames> {
  const parser = new SaxesParser({ position: true, xmlns: false });
  const reader = createCvatReader();
  let depth = 0;
  parser.on("doctype", (doctype) => {
    if (doctype.includes("["))
      throw new ExchangeProblem(
        `line ${parser.line}: the document declares entities of its own, which are never expanded. Export it again without.`,
      );
  });
  parser.on("opentag", ({ name, attributes }) => {
    depth += 1;
    if (depth > MOST_DEPTH)
      throw new ExchangeProblem(
        `line ${parser.line}: the tags are nested ${depth} deep, which is not CVAT's.`,
      );
    reader.open(name, attributes, parser.line);
  });
  parser.on("text", reader.text);
  parser.on("cdata", reader.text);
  parser.on("closetag", ({ name }) => {
    depth -= 1;
    reader.close(name);
  });
  parser.on("error", ({ message }) => {
    const [, line = parser.line, reason = message] = /^(\d+):\d+:\s*(.*)$/.exec(message) ?? [];
    const cut = reason.startsWith("unclosed tag") || reason.includes("must contain a root element");
    throw new ExchangeProblem(
      `line ${line}: the XML is broken: ${reason.replace(/\.$/, "")}.${cut ? " Was the file cut short?" : ""}`,
    );
  });
  const breathe = createBreath();
  for (let at = 0; at < text.length; at += STEP) {
    parser.write(text.slice(at, at + STEP));
    await breathe();
  }
  parser.close();
  return reader.end();
}
