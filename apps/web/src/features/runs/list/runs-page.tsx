import { Button, Group, SegmentedControl, TextInput } from "@mantine/core";
import { formatNumberOf } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import {
  IconBell,
  IconChartLine,
  IconListNumbers,
  IconPlugConnectedX,
  IconPlus,
  IconSearch,
  IconTrash,
} from "@tabler/icons-react";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { useAlerts } from "../../../app/alerts.ts";
import { useKeys } from "../../../app/keys.ts";
import { usePageTitle } from "../../../app/page-title.ts";
import { useTypedText } from "../../../app/typed-text.ts";
import { useRuns, useTrashedRuns } from "../follow-list.ts";
import { useHostName } from "../host-name.tsx";
import { filterRuns, GROUPS, isInGroup, type RunGroup } from "./filter.ts";
import classes from "./runs-page.module.css";
import { RunsTable } from "./runs-table.tsx";

const route = getRouteApi("/runs");
const LABELS: Record<RunGroup, string> = { all: "All", live: "Live", ended: "Ended", troubled: "In trouble" };

/** All runs, or those in the trash: to find, order, name, throw away and bring back. */
export function RunsPage() {
  const { q = "", trash: isTrash = false } = route.useSearch();
  const navigate = useNavigate({ from: "/runs" });
  usePageTitle("Runs", isTrash ? "Trash" : null);
  const [group, setGroup] = useState<RunGroup>("all");
  const filter = useRef<HTMLInputElement>(null);
  const typed = useTypedText(
    q,
    (text) => void navigate({ search: (now) => ({ ...now, q: text || undefined }), replace: true }),
  );
  const kept = useRuns();
  const trashed = useTrashedRuns(isTrash);
  const runs = isTrash ? trashed : kept;
  const all = runs.data;
  const nameHost = useHostName();
  const shown = useMemo(
    () => (all ? filterRuns(all, isTrash ? "all" : group, q, nameHost) : []),
    [all, group, isTrash, q, nameHost],
  );

  useKeys("Runs", [
    { key: "n", label: "Launch a run", run: () => void navigate({ to: "/runs/launch" }) },
    { key: "/", label: "Filter", run: () => filter.current?.focus() },
    { key: "Enter", label: "Open the run that has the focus" },
  ]);

  if (runs.isError)
    return (
      <EmptyState
        icon={<IconPlugConnectedX size={30} stroke={1.4} />}
        title="The runs could not be read"
        actions={<Button onClick={() => void runs.refetch()}>Try again</Button>}
      >
        {runs.error.message}
      </EmptyState>
    );
  if (all === undefined) return <p className={classes.waiting}>Reading the runs …</p>;
  if (all.length === 0 && !isTrash) return <NoRuns />;
  return (
    <div className={classes.page}>
      <header className={classes.bar}>
        <TextInput
          ref={filter}
          size="xs"
          w={240}
          placeholder="Filter by name, preset, stage, host"
          aria-label="Filter the runs"
          leftSection={<IconSearch size={14} stroke={1.7} />}
          {...typed}
        />
        {!isTrash && (
          <SegmentedControl
            size="xs"
            aria-label="Which runs"
            value={group}
            data={GROUPS.map((one) => ({
              value: one,
              label: `${LABELS[one]} ${all.filter((run) => isInGroup(run, one)).length}`,
            }))}
            onChange={(value) => setGroup(GROUPS.find((one) => one === value) ?? "all")}
          />
        )}
        <span className={classes.count}>{formatNumberOf(shown.length, "run")}</span>
        <Group gap="xs" ml="auto">
          <Button
            renderRoot={(props) => (
              <Link to="/runs" search={{ trash: isTrash ? undefined : true }} {...props} />
            )}
            size="xs"
            variant="subtle"
            color="gray"
            leftSection={<IconTrash size={14} stroke={1.7} />}
          >
            {isTrash ? "Back to the runs" : "Trash"}
          </Button>
          {!isTrash && <AlertsLink />}
          {!isTrash && (
            <CountedLink
              to="/runs/queue"
              label="Queue"
              count={all.filter((run) => run.queue !== null).length}
              Icon={IconListNumbers}
            />
          )}
          {!isTrash && <LaunchButton />}
        </Group>
      </header>
      {shown.length === 0 ? (
        <EmptyState title={isTrash && q === "" ? "The trash is empty" : "No run is like that"}>
          {isTrash && q === ""
            ? "Runs that you throw away are kept here until you bring them back."
            : "Change the filter to see others."}
        </EmptyState>
      ) : (
        <RunsTable key={String(isTrash)} runs={shown} isTrash={isTrash} />
      )}
    </div>
  );
}

function AlertsLink() {
  return <CountedLink to="/alerts" label="Alerts" count={useAlerts()?.unseen ?? 0} Icon={IconBell} />;
}

/** A link to another page of the runs that stands out while something waits there. */
function CountedLink({
  to,
  label,
  count,
  Icon,
}: {
  to: "/alerts" | "/runs/queue";
  label: string;
  count: number;
  Icon: typeof IconBell;
}) {
  return (
    <Button
      component={Link}
      to={to}
      size="xs"
      variant={count > 0 ? "light" : "subtle"}
      color={count > 0 ? undefined : "gray"}
      leftSection={<Icon size={14} stroke={1.7} />}
    >
      {count > 0 ? `${label} ${count}` : label}
    </Button>
  );
}

function LaunchButton() {
  return (
    <Button component={Link} to="/runs/launch" size="xs" leftSection={<IconPlus size={14} stroke={1.9} />}>
      Launch a run
    </Button>
  );
}

/** Where a newcomer begins. */
const SIMULATED = { preset: "simulated-three-stages" };

function NoRuns() {
  return (
    <EmptyState
      icon={<IconChartLine size={30} stroke={1.4} />}
      title="No run yet"
      actions={
        <Button renderRoot={(props) => <Link to="/runs/launch" search={SIMULATED} {...props} />}>
          Start a simulated run
        </Button>
      }
    >
      A run is one training experiment: data, model, schedule, seed. Begin with a simulated one: it takes a
      minute and a half, needs no GPU, and shows everything that a real run shows.
    </EmptyState>
  );
}
