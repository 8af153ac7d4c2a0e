import { Button, Skeleton } from "@mantine/core";
import { formatNumberOf } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconPlus, IconServer2, IconServerOff } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useKeys } from "../../app/keys.ts";
import { usePageTitle } from "../../app/page-title.ts";
import { HostCard } from "./host-card.tsx";
import classes from "./hosts.module.css";
import { useHosts } from "./use-hosts.ts";

/** The machines that take runs: how each stands, how busy it is, what runs on it. */
export function HostsPage() {
  usePageTitle("Hosts");
  const navigate = useNavigate();
  const hosts = useHosts();
  useKeys("Hosts", [{ key: "a", label: "Attach a host", run: () => void navigate({ to: "/hosts/attach" }) }]);

  if (hosts.isError)
    return (
      <EmptyState
        icon={<IconServerOff size={30} stroke={1.4} />}
        title="The hosts could not be listed"
        actions={<Button onClick={() => void hosts.refetch()}>Try again</Button>}
      >
        {hosts.error.message}
      </EmptyState>
    );
  return (
    <div className={classes.page}>
      <div className={classes.bar}>
        <span className={classes.count}>
          {hosts.data !== undefined && formatNumberOf(hosts.data.length, "host")}
        </span>
        <Button
          leftSection={<IconPlus size={14} stroke={1.9} />}
          renderRoot={(props) => <Link to="/hosts/attach" {...props} />}
        >
          Attach a host
        </Button>
      </div>
      <div className={classes.cards}>
        {hosts.isPending && <Skeleton height={230} radius="md" />}
        {hosts.data?.map((host) => (
          <HostCard key={host.host_id} host={host} />
        ))}
        {hosts.data?.length === 1 && <Invitation />}
      </div>
    </div>
  );
}

/** What belongs beside this machine, while it is alone. */
function Invitation() {
  return (
    <EmptyState
      icon={<IconServer2 size={28} stroke={1.4} />}
      title="More machines take more runs"
      actions={
        <Button variant="default" renderRoot={(props) => <Link to="/hosts/attach" {...props} />}>
          Attach a host
        </Button>
      }
    >
      Any Linux machine that you reach by SSH and that has Python 3.10 or newer: three fields, and a doctor
      that says what is missing there.
    </EmptyState>
  );
}
