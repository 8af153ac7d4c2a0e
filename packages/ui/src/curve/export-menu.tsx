import { Menu, UnstyledButton } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useRef, useState } from "react";
import classes from "./curve.module.css";
import type { PlotProps } from "./engine.ts";
import { download, toCsv, toPng, toSvg } from "./export.ts";
import type { CurveSeries } from "./types.ts";

/** A chart as a file: its numbers, or its picture. */
export function ExportMenu({
  title,
  x_label,
  series,
  getPlot,
}: {
  title: string;
  x_label: string;
  /** With hidden ones left out. */
  series: readonly CurveSeries[];
  getPlot: () => PlotProps;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const name = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const draw = () => toSvg(getPlot(), { title, x_label, series }, button.current ?? document.body);
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <UnstyledButton
          ref={button}
          className={classes.tool}
          title={problem ?? "Export as CSV, SVG or PNG"}
          aria-label={`Export ${title}`}
        >
          <IconDownload size={13} stroke={1.7} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => download(toCsv(series, x_label), `${name}.csv`, "text/csv")}>
          CSV: the numbers
        </Menu.Item>
        <Menu.Item onClick={() => download(draw(), `${name}.svg`, "image/svg+xml")}>
          SVG: the picture
        </Menu.Item>
        <Menu.Item
          onClick={() =>
            toPng(draw()).then(
              (blob) => download(blob, `${name}.png`, "image/png"),
              (error: unknown) =>
                setProblem(`No PNG: ${error instanceof Error ? error.message : String(error)}`),
            )
          }
        >
          PNG: the picture, twice its size
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
