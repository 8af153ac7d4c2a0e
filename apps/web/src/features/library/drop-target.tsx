import { IconMovie } from "@tabler/icons-react";
import { useLayoutEffect, useState } from "react";
import classes from "../../app/drop-target.module.css";
import { addFiles } from "../../app/uploads.ts";
import { readDropped } from "./dropped.ts";

const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;

/** Lets files be dropped anywhere on the page; shows itself while they hang over it. */
export function DropTarget() {
  const [isOver, setOver] = useState(false);
  // As soon as the page is in sight: who sees it may drop a file.
  useLayoutEffect(() => {
    // Entering a child comes before leaving its parent: what counts is how deep one is.
    let depth = 0;
    const on = (handle: (event: DragEvent) => void) => (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      handle(event);
    };
    const enter = on(() => {
      depth += 1;
      setOver(true);
    });
    const leave = on(() => {
      depth -= 1;
      if (depth <= 0) setOver(false);
    });
    const over = on((event) => {
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = "copy";
    });
    const drop = on((event) => {
      depth = 0;
      setOver(false);
      if (event.dataTransfer !== null) void readDropped(event.dataTransfer).then(addFiles);
    });
    const handlers = { dragenter: enter, dragleave: leave, dragover: over, drop };
    for (const [name, handle] of Object.entries(handlers))
      window.addEventListener(name, handle as EventListener);
    return () => {
      for (const [name, handle] of Object.entries(handlers))
        window.removeEventListener(name, handle as EventListener);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div className={classes.target}>
      <div className={classes.text}>
        <IconMovie size={28} stroke={1.4} />
        Drop to add to the library
      </div>
    </div>
  );
}
