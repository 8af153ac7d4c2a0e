import { ActionIcon, Checkbox, Menu } from "@mantine/core";
import { formatAgo } from "@sightline/core/format";
import type { RunSummary } from "@sightline/core/runs";
import { Status } from "@sightline/ui/status";
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconDots,
  IconGitFork,
  IconGrid3x3,
  IconPencil,
  IconRestore,
  IconTrash,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import {
  createColumnHelper,
  createSortedRowModel,
  type RowSelectionState,
  rowSelectionFeature,
  rowSortingFeature,
  type SortingState,
  sortFn_alphanumeric,
  sortFn_basic,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { rename, restore, trash } from "../commands.ts";
import { HostName } from "../host-name.tsx";
import { RunNameField } from "../run-name-field.tsx";
import { isLive, RUN_STATES } from "../run-state.ts";
import { SimulatedBadge } from "../simulated-badge.tsx";
import { Tally } from "../tally.tsx";
import { AlertBell } from "./alert-bell.tsx";
import { type ListItem, listItems } from "./group-sweeps.ts";
import { PartsSparkline } from "./parts-sparkline.tsx";
import classes from "./runs-table.module.css";

const features = tableFeatures({
  rowSelectionFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, basic: sortFn_basic },
});
const helper = createColumnHelper<typeof features, RunSummary>();

const columns = helper.columns([
  helper.display({ id: "select", header: "" }),
  helper.accessor("name", {
    header: "Name",
    sortFn: "alphanumeric",
    cell: ({ row }) => <NameCell run={row.original} />,
  }),
  helper.accessor("state", {
    header: "State",
    sortFn: "basic",
    cell: ({ row }) => <StateCell run={row.original} />,
  }),
  helper.display({
    id: "parts",
    header: "Reward parts",
    cell: ({ row }) => <PartsSparkline run={row.original} />,
  }),
  helper.accessor((run) => (run.step ?? 0) / (run.max_steps ?? Number.POSITIVE_INFINITY), {
    id: "step",
    header: "Step",
    sortFn: "basic",
    cell: ({ row }) => <StepCell run={row.original} />,
  }),
  helper.accessor((run) => run.stage ?? "", {
    id: "stage",
    header: "Stage",
    sortFn: "alphanumeric",
    cell: ({ getValue }) => getValue() || "–",
  }),
  helper.accessor("preset", { header: "Preset", sortFn: "alphanumeric" }),
  helper.accessor("host_id", {
    header: "Host",
    sortFn: "alphanumeric",
    cell: ({ getValue }) => <HostName host_id={getValue()} />,
  }),
  helper.accessor("created_secs", {
    header: "Started",
    sortFn: "basic",
    sortDescFirst: true,
    cell: ({ getValue }) => formatAgo(getValue(), Date.now() / 1000),
  }),
  helper.display({ id: "actions", header: "" }),
]);

const ROW_PX = 40;

/** Runs as rows, the newest first; sorted by a click on a head, live. */
export function RunsTable({ runs, isTrash }: { runs: readonly RunSummary[]; isTrash: boolean }) {
  const [sorting, setSorting] = useState<SortingState>([{ id: "created_secs", desc: true }]);
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({});
  const [renaming, setRenaming] = useState<string | null>(null);
  const data = useMemo(() => [...runs], [runs]);
  const table = useTable({
    features,
    columns,
    data,
    getRowId: (run) => run.run_id,
    state: { sorting, rowSelection },
    onSortingChange: setSorting,
    onRowSelectionChange: setRowSelection,
    enableSortingRemoval: false,
  });
  const rows = table.getRowModel().rows;
  const [shutSweeps, setShutSweeps] = useState<ReadonlySet<string>>(new Set());
  const items = listItems(rows, shutSweeps);
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => keyOf(items[index]) ?? index,
    overscan: 8,
  });
  const selected = rows.filter((row) => row.getIsSelected()).map((row) => row.original);
  const all = selected.length > 0 && selected.length === rows.length;
  return (
    <div className={classes.frame}>
      {selected.length > 0 && (
        <SelectionBar selected={selected} isTrash={isTrash} onDone={() => setRowSelection({})} />
      )}
      <div ref={scroll} className={classes.scroll}>
        <table
          className={classes.table}
          aria-label={isTrash ? "Runs in the trash" : "Runs"}
          aria-rowcount={items.length + 1}
        >
          <thead>
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id}>
                {group.headers.map((header) => (
                  <th
                    key={header.id}
                    scope="col"
                    className={classes.cell}
                    data-column={header.column.id}
                    aria-sort={getAriaSort(header.column.getIsSorted())}
                  >
                    {header.column.id === "select" ? (
                      <Checkbox
                        size="xs"
                        aria-label="Select all runs"
                        checked={all}
                        indeterminate={selected.length > 0 && !all}
                        onChange={() => table.toggleAllRowsSelected(!all)}
                      />
                    ) : header.column.getCanSort() && header.column.accessorFn ? (
                      <button
                        type="button"
                        className={classes.sort}
                        onClick={() => header.column.toggleSorting(header.column.getIsSorted() === "asc")}
                      >
                        <table.FlexRender header={header} />
                        {header.column.getIsSorted() === "asc" && <IconArrowUp size={12} aria-hidden />}
                        {header.column.getIsSorted() === "desc" && <IconArrowDown size={12} aria-hidden />}
                      </button>
                    ) : (
                      <table.FlexRender header={header} />
                    )}
                  </th>
                ))}
              </tr>
            ))}
          </thead>
          <tbody style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map((item) => {
              const shown = items[item.index];
              if (shown === undefined) return null;
              if (shown.kind === "sweep")
                return (
                  <SweepRow
                    key={keyOf(shown)}
                    sweep={shown}
                    rowIndex={item.index + 2}
                    start={item.start}
                    onToggle={() => setShutSweeps((now) => toggle(now, shown.sweep_id))}
                  />
                );
              const { row } = shown;
              const run = row.original;
              return (
                <tr
                  key={row.id}
                  aria-rowindex={item.index + 2}
                  className={classes.row}
                  data-run={run.run_id}
                  data-in-sweep={shown.is_in_sweep || undefined}
                  data-selected={row.getIsSelected() || undefined}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  {row.getAllCells().map((cell) => (
                    <td key={cell.id} className={classes.cell} data-column={cell.column.id}>
                      {cell.column.id === "select" ? (
                        <Checkbox
                          size="xs"
                          aria-label={`Select ${run.name}`}
                          checked={row.getIsSelected()}
                          onChange={() => row.toggleSelected()}
                        />
                      ) : cell.column.id === "actions" ? (
                        <RowMenu run={run} isTrash={isTrash} onRename={() => setRenaming(run.run_id)} />
                      ) : cell.column.id === "name" && renaming === run.run_id ? (
                        <RunNameField
                          name={run.name}
                          onDone={(name) => {
                            setRenaming(null);
                            if (name !== null) void rename(run, name);
                          }}
                        />
                      ) : (
                        <table.FlexRender cell={cell} />
                      )}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function getAriaSort(sorted: false | "asc" | "desc"): "ascending" | "descending" | undefined {
  if (sorted === false) return undefined;
  return sorted === "asc" ? "ascending" : "descending";
}

type Item = ListItem<{ id: string; original: RunSummary }>;

function keyOf(item: Item | undefined): string | undefined {
  return item?.kind === "sweep" ? `sweep ${item.sweep_id}` : item?.row.id;
}

function toggle(ids: ReadonlySet<string>, id: string): Set<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** The head of a sweep's runs: shuts and opens them, and leads to its grid. */
function SweepRow({
  sweep,
  rowIndex,
  start,
  onToggle,
}: {
  sweep: Extract<Item, { kind: "sweep" }>;
  rowIndex: number;
  start: number;
  onToggle: () => void;
}) {
  const Icon = sweep.is_shut ? IconChevronRight : IconChevronDown;
  return (
    <tr
      aria-rowindex={rowIndex}
      className={classes.row}
      data-sweep={sweep.sweep_id}
      style={{ transform: `translateY(${start}px)` }}
    >
      <td className={classes.sweep} colSpan={columns.length}>
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          aria-expanded={!sweep.is_shut}
          aria-label={`${sweep.is_shut ? "Show" : "Hide"} the runs of ${sweep.name}`}
          onClick={onToggle}
        >
          <Icon size={15} stroke={1.7} />
        </ActionIcon>
        <IconGrid3x3 size={15} stroke={1.5} aria-hidden />
        <Link to="/runs/sweeps/$sweepId" params={{ sweepId: sweep.sweep_id }} className={classes.link}>
          {sweep.name}
        </Link>
        <span className={classes.quiet}>sweep</span>
        <Tally runs={sweep.runs} />
      </td>
    </tr>
  );
}

/** Below the head of its sweep a run need not say the sweep's name again. */
function nameInList({ name, sweep }: RunSummary): string {
  return sweep && name.startsWith(`${sweep.name} · `) ? name.slice(sweep.name.length + 3) : name;
}

function NameCell({ run }: { run: RunSummary }) {
  return (
    <span className={classes.name}>
      <Link to="/runs/$runId" params={{ runId: run.run_id }} className={classes.link} title={run.name}>
        {nameInList(run)}
      </Link>
      {run.forked_from && (
        <Link
          to="/runs/$runId"
          params={{ runId: run.forked_from.run_id }}
          search={{ tab: "checkpoints" }}
          className={classes.fork}
          title={`A fork: it begins after step ${run.forked_from.step} of its parent`}
          aria-label={`Parent of ${run.name}`}
        >
          <IconGitFork size={13} stroke={1.7} aria-hidden />
          {run.forked_from.step}
        </Link>
      )}
      <SimulatedBadge run={run} />
      <AlertBell run_id={run.run_id} name={run.name} />
    </span>
  );
}

function StateCell({ run }: { run: RunSummary }) {
  const { tone, label, meaning } = RUN_STATES[run.state];
  if (run.queue)
    return <Status tone={tone} label={`${label}, no. ${run.queue.position}`} title={run.queue.why} />;
  return <Status tone={tone} label={label} title={run.problem ?? meaning} />;
}

function StepCell({ run }: { run: RunSummary }) {
  const share = run.max_steps ? Math.min(1, (run.step ?? 0) / run.max_steps) : 0;
  return (
    <span className={classes.step}>
      <span>
        {run.step ?? "–"}
        {run.max_steps !== null && <span className={classes.quiet}> / {run.max_steps}</span>}
      </span>
      {isLive(run.state) && (
        <span className={classes.track} aria-hidden="true">
          <span style={{ width: `${share * 100}%` }} />
        </span>
      )}
    </span>
  );
}

function RowMenu({ run, isTrash, onRename }: { run: RunSummary; isTrash: boolean; onRename: () => void }) {
  if (isTrash)
    return (
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={`Restore ${run.name}`}
        title="Restore"
        onClick={() => void restore([run])}
      >
        <IconRestore size={16} stroke={1.6} />
      </ActionIcon>
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size="sm" variant="subtle" color="gray" aria-label={`More of ${run.name}`}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={15} stroke={1.6} />} onClick={onRename}>
          Rename
        </Menu.Item>
        <Menu.Item
          leftSection={<IconTrash size={15} stroke={1.6} />}
          disabled={isLive(run.state)}
          onClick={() => void trash([run])}
        >
          {isLive(run.state) ? "Move to the trash (stop it first)" : "Move to the trash"}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function SelectionBar({
  selected,
  isTrash,
  onDone,
}: {
  selected: readonly RunSummary[];
  isTrash: boolean;
  onDone: () => void;
}) {
  const ended = selected.filter((run) => !isLive(run.state));
  const [first, ...others] = selected;
  return (
    <div className={classes.selection}>
      <span>{selected.length} selected</span>
      {!isTrash && first && others.length > 0 && (
        <Link
          to="/runs/$runId"
          params={{ runId: first.run_id }}
          search={{ with: others.map(({ run_id }) => run_id) }}
          className={classes.selectionAction}
        >
          Compare on one page
        </Link>
      )}
      <button
        type="button"
        className={classes.selectionAction}
        disabled={ended.length === 0}
        onClick={() => {
          void (isTrash ? restore(selected) : trash(ended));
          onDone();
        }}
      >
        {isTrash
          ? "Restore"
          : ended.length === selected.length
            ? "Move to the trash"
            : `Move ${ended.length} ended to the trash`}
      </button>
      <button type="button" className={classes.selectionAction} onClick={onDone}>
        Select none
      </button>
    </div>
  );
}
