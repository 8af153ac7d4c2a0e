import { Button, Skeleton } from "@mantine/core";
import { formatNumberOf } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconRefresh, IconServer2, IconServerOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../app/clients.ts";
import { useKeys } from "../../app/keys.ts";
import { usePageTitle } from "../../app/page-title.ts";
import { HostCard } from "./host-card.tsx";
import classes from "./hosts.module.css";

/** Looking at a host asks it, so it is done now and then, not all the time. */
const LOOK_EVERY_MS = 30_000;

/** The machines that take runs: how each stands, what it has, what runs on it. */
export function HostsPage() {
  usePageTitle("Hosts");
  const hosts = useQuery({ ...trpc.hosts.list.queryOptions(), refetchInterval: LOOK_EVERY_MS });
  const look = () => void hosts.refetch();
  useKeys("Hosts", [{ key: "R", label: "Look again", run: look }]);

  if (hosts.isPending) {
    return (
      <div className={classes.page}>
        <Skeleton height={176} radius="md" />
      </div>
    );
  }
  if (hosts.isError) {
    return (
      <EmptyState
        icon={<IconServerOff size={30} stroke={1.4} />}
        title="The hosts could not be listed"
        actions={<Button onClick={look}>Try again</Button>}
      >
        {hosts.error.message}
      </EmptyState>
    );
  }
  if (hosts.data.length === 0) {
    return (
      <EmptyState icon={<IconServer2 size={30} stroke={1.4} />} title="No host yet">
        A host is a machine that takes runs: this one, or others that are reached by SSH, Slurm or Ray.
      </EmptyState>
    );
  }
  return (
    <div className={classes.page}>
      <div className={classes.bar}>
        <span className={classes.count}>{formatNumberOf(hosts.data.length, "host")}</span>
        <Button
          variant="default"
          leftSection={<IconRefresh size={14} stroke={1.7} />}
          loading={hosts.isFetching}
          onClick={look}
        >
          Look again
        </Button>
      </div>
      {hosts.data.map((host) => (
        <HostCard key={host.host_id} host={host} />
      ))}
    </div>
  );
}
