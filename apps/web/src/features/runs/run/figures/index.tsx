import { Select } from "@mantine/core";
import type { RunSpec } from "@sightline/core/runs";
import { Curve, createCursor, type Extent } from "@sightline/ui/curve";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { trpc, whyNot } from "../../../../app/clients.ts";
import { usePageTitle } from "../../../../app/page-title.ts";
import { useRuns } from "../../follow-list.ts";
import { useFollowedRun } from "../../follow-run.ts";
import { NotShown } from "../../not-shown.tsx";
import { getBandStages } from "../curves.ts";
import { SidePage } from "../side-page.tsx";
import classes from "./figures.module.css";
import { drawFigures, type Figure } from "./figures.ts";

const route = getRouteApi("/runs/$runId/figures");

/** The paper's training figures (Fig. 5 a to f), drawn from one run, with the paper's curves as reference. */
export function FiguresPage() {
  const { runId: run_id } = route.useParams();
  const { second } = route.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId/figures" });
  const detail = useQuery(trpc.runs.get.queryOptions({ run_id }));
  const others = (useRuns().data ?? []).filter((run) => run.run_id !== run_id);
  const run = detail.data?.run ?? null;
  usePageTitle("Runs", run ? `Figures of ${run.name}` : null);
  const problem = whyNot(detail);
  if (problem) return <NotShown what="run" problem={problem} />;
  const chosen = others.find((other) => other.run_id === second) ?? null;
  return (
    <SidePage
      title="The paper’s training figures"
      of={
        <>
          Embodied-R, Fig. 5 a to f, from{" "}
          <Link to="/runs/$runId" params={{ runId: run_id }}>
            {run?.name ?? run_id}
          </Link>
        </>
      }
      run={run}
      aside={
        <Select
          className={classes.second}
          size="xs"
          aria-label="Second run in figure e"
          placeholder="Second run in figure e"
          searchable
          clearable
          data={others.map(({ run_id: value, name }) => ({ value, label: name }))}
          value={chosen?.run_id ?? null}
          onChange={(value) =>
            void navigate({ to: ".", search: { second: value ?? undefined }, replace: true })
          }
        />
      }
    >
      <FigureGrid run_id={run_id} spec={detail.data?.spec ?? null} second={chosen} />
    </SidePage>
  );
}

function FigureGrid({
  run_id,
  spec,
  second,
}: {
  run_id: string;
  spec: RunSpec | null;
  second: { run_id: string; name: string } | null;
}) {
  const series = useFollowedRun(run_id)?.series ?? null;
  const other = useFollowedRun(second?.run_id ?? run_id)?.series ?? null;
  const stages = useMemo(() => (series ? getBandStages(series, spec) : []), [series, spec]);
  const last = Math.max(series?.max_steps ?? 0, series?.step ?? 0, 1);
  const bands = useMemo(
    () => stages.map(({ id, name, from, to }) => ({ id, label: name, from, to })),
    [stages],
  );
  const figures = useMemo(() => {
    if (series === null) return null;
    const borders = stages.length > 0 ? [0, ...stages.slice(1).map(({ from }) => from - 1), last] : [0, last];
    return drawFigures(series, borders, second && other ? { name: second.name, series: other } : null);
  }, [series, stages, last, second, other]);
  const [cursor] = useState(createCursor);
  const [timeCursor] = useState(createCursor);
  const extent = useMemo<Extent>(() => [0, last], [last]);
  if (figures === null) return <p className={classes.waiting}>Reading what the run has written …</p>;
  return (
    <div className={classes.scroll}>
      <p className={classes.intro}>
        The paper gives no numbers for its curves: the dashed amber lines join the few values that were read
        from its figure.{" "}
        {stages.length === 3
          ? "They stand at the same place within their stage as in the paper’s run of 15,240 steps."
          : "They stand at the same share of the whole as in the paper’s run of 15,240 steps: this run has not three stages."}
      </p>
      <div className={classes.grid}>
        {figures.map((figure) => (
          <Panel
            key={figure.letter}
            figure={figure}
            cursor={figure.is_over_steps ? cursor : timeCursor}
            bands={figure.is_over_steps ? bands : []}
            {...(figure.is_over_steps ? { extent } : {})}
          />
        ))}
      </div>
    </div>
  );
}

function Panel({
  figure,
  cursor,
  bands,
  extent,
}: {
  figure: Figure;
  cursor: ReturnType<typeof createCursor>;
  bands: { id: string; label: string; from: number; to: number | null }[];
  extent?: Extent;
}) {
  const { letter, title, series, lacks, paper, caveats, y_at_least, x_label, formatX } = figure;
  return (
    <figure className={classes.panel}>
      <Curve
        title={`${letter} · ${title}`}
        series={series}
        cursor={cursor}
        bands={bands}
        height={184}
        smoothing={0}
        {...(y_at_least ? { y_at_least } : {})}
        {...(extent ? { x_extent: extent } : {})}
        {...(x_label ? { x_label } : {})}
        {...(formatX ? { formatX } : {})}
        empty={lacks ?? "Nothing to draw."}
      />
      <figcaption className={classes.caption}>
        {lacks !== null && <p className={classes.lacks}>{lacks}</p>}
        <p>{paper}</p>
        <ul>
          {caveats.map((caveat) => (
            <li key={caveat}>{caveat}</li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}
