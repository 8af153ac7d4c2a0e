import { IconFileImport } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import classes from "../../app/drop-target.module.css";
import { importFiles } from "./use-import.ts";

const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;

/** Lets files of questions be dropped anywhere on the page; shows itself while they hang over it. */
export function FileDrop() {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const listen = (name: "dragover" | "dragleave" | "drop", handle: (event: DragEvent) => void) =>
      window.addEventListener(
        name,
        (event) => {
          if (!carriesFiles(event)) return;
          event.preventDefault();
          handle(event);
        },
        { signal: stop.signal },
      );
    listen("dragover", () => setOver(true));
    // Only leaving the window has nowhere to go to.
    listen("dragleave", (event) => event.relatedTarget === null && setOver(false));
    listen("drop", (event) => {
      setOver(false);
      importFiles([...(event.dataTransfer?.files ?? [])]);
    });
    return () => stop.abort();
  }, []);
  if (!isOver) return null;
  return (
    <div className={classes.target}>
      <div className={classes.text}>
        <IconFileImport size={28} stroke={1.4} />
        Drop to import questions
      </div>
    </div>
  );
}
