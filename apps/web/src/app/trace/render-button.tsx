import { Button } from "@mantine/core";
import { useEffect } from "react";
import { refreshPrepared, usePreparation } from "../links/use-preparation.ts";
import { notifyFailure } from "../notify.tsx";
import type { PicturedLine } from "./use-pictures.ts";

/** Renders the world of a question as a clip of the library, with its key-frames and triples; the tray shows how far it is. */
export function RenderButton({ line }: { line: PicturedLine }) {
  const { start, isWorking, isOver } = usePreparation(line, (error) =>
    notifyFailure("The world was not rendered", error),
  );
  useEffect(() => {
    if (isOver) void refreshPrepared();
  }, [isOver]);
  return (
    <Button size="compact-xs" variant="default" loading={isWorking} onClick={start}>
      Render this world as a clip
    </Button>
  );
}
