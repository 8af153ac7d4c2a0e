import { ActionIcon, Alert, Button, Skeleton, TextInput } from "@mantine/core";
import { formatBytes, formatNumberOf } from "@sightline/core/format";
import type { HostFacts, HostSummary } from "@sightline/core/hosts";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconArrowLeft, IconEye, IconPencil, IconPlugConnectedX, IconServerOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { client } from "../../app/clients.ts";
import { useKeys } from "../../app/keys.ts";
import { usePageTitle } from "../../app/page-title.ts";
import { detach, rename } from "./commands.ts";
import { Doctor } from "./doctor.tsx";
import { DiskBar, HostState } from "./host-card.tsx";
import { HostCharts } from "./host-charts.tsx";
import { HostHistory } from "./host-history.tsx";
import { HostKeyPart, type Place } from "./host-key.tsx";
import classes from "./host-page.module.css";
import { HostRuns } from "./host-runs.tsx";
import shared from "./hosts.module.css";
import { HostTrainer } from "./trainer.tsx";
import { useHosts, useUsage } from "./use-hosts.ts";
import { WatchDialog } from "./watch-dialog.tsx";
import { describePlace } from "./words.ts";

const route = getRouteApi("/hosts/$hostId");

/** One host: the last hour, the doctor, what runs, what happened. */
export function HostPage() {
  const { hostId } = route.useParams();
  const hosts = useHosts();
  const host = hosts.data?.find(({ host_id }) => host_id === hostId);
  usePageTitle("Hosts", host?.name ?? null);
  if (hosts.isPending)
    return (
      <div className={classes.page}>
        <Skeleton height={300} radius="md" />
      </div>
    );
  if (host === undefined)
    return (
      <EmptyState
        icon={<IconServerOff size={30} stroke={1.4} />}
        title="There is no such host"
        actions={<Button renderRoot={(props) => <Link to="/hosts" {...props} />}>All hosts</Button>}
      >
        {hosts.error?.message ??
          "It may have been detached: attach it again under the same address and its runs come back."}
      </EmptyState>
    );
  return <HostView key={hostId} host={host} />;
}

function HostView({ host }: { host: HostSummary }) {
  const { act } = route.useSearch();
  const navigate = useNavigate({ from: "/hosts/$hostId" });
  const samples = useUsage(host.host_id);
  const setAct = (next: "rename" | "watch" | undefined) =>
    void navigate({ search: { act: next }, replace: true });
  const leave = async () => {
    if (await detach(host)) void navigate({ to: "/hosts" });
  };
  useKeys("Host", [
    { key: "w", label: "Watch a run there", run: () => setAct("watch") },
    { key: "F2", label: "Rename the host", run: () => setAct("rename") },
    { key: "Escape", label: "All hosts", run: () => void navigate({ to: "/hosts" }) },
  ]);
  const isStopped = host.state === "refused" || host.state === "unconfirmed";
  return (
    <div className={classes.page} data-host-state={host.state}>
      <header className={classes.head}>
        <ActionIcon
          aria-label="All hosts"
          renderRoot={(props) => <Link to="/hosts" {...props} />}
          variant="subtle"
          color="gray"
        >
          <IconArrowLeft size={17} stroke={1.7} />
        </ActionIcon>
        {act === "rename" ? (
          <HostNameField
            name={host.name}
            onDone={(name) => {
              setAct(undefined);
              void rename(host, name);
            }}
          />
        ) : (
          <>
            <h1 className={classes.name}>{host.name}</h1>
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label="Rename the host"
              onClick={() => setAct("rename")}
            >
              <IconPencil size={14} stroke={1.7} />
            </ActionIcon>
          </>
        )}
        <span className={classes.place}>{describePlace(host)}</span>
        <HostState host={host} />
        <div className={classes.actions}>
          <Button
            variant="default"
            leftSection={<IconEye size={14} stroke={1.7} />}
            onClick={() => setAct("watch")}
          >
            Watch a run…
          </Button>
          {host.executor !== "local" && (
            <Button
              variant="default"
              leftSection={<IconPlugConnectedX size={14} stroke={1.7} />}
              onClick={() => void leave()}
            >
              Detach
            </Button>
          )}
        </div>
      </header>
      {isStopped ? <Stopped host={host} /> : host.problem !== null && <Problem text={host.problem} />}
      <div className={classes.columns}>
        <div className={classes.main}>
          <HostCharts samples={samples} />
          <div className={shared.card}>
            {host.facts !== null && <Facts facts={host.facts} root={host.root} />}
            <HostRuns host_id={host.host_id} />
            <HostTrainer host={host} />
          </div>
        </div>
        <aside className={classes.side}>
          <Doctor host={host} />
          <HostHistory host_id={host.host_id} />
        </aside>
      </div>
      {act === "watch" && <WatchDialog host={host} onClose={() => setAct(undefined)} />}
    </div>
  );
}

function Problem({ text }: { text: string }) {
  return <p className={classes.problem}>{text}</p>;
}

/** A host to which nothing is sent: its key is new or another one, or it lets us not in. */
function Stopped({ host }: { host: HostSummary }) {
  const place: Place = { address: host.address ?? "", port: host.port };
  const contact = useQuery({
    queryKey: ["hosts", "contact", host.host_id, host.since_secs],
    queryFn: () => client.hosts.contact.mutate(place),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (contact.isPending) return <Skeleton height={160} radius="md" />;
  if (contact.data?.state === "changed" || contact.data?.state === "new")
    return (
      <HostKeyPart
        place={place}
        contact={contact.data}
        confirmLabel="It is the right machine"
        onConfirmed={() => void client.hosts.doctor.mutate({ host_id: host.host_id }).catch(() => undefined)}
      />
    );
  return (
    <Alert color="var(--sl-wrong)" role="alert">
      {host.problem ?? contact.data?.problem ?? contact.error?.message}
    </Alert>
  );
}

function Facts({ facts, root }: { facts: HostFacts; root: string }) {
  return (
    <>
      <dl className={classes.facts}>
        <Fact label="Account">
          {facts.user}@{facts.hostname}
        </Fact>
        <Fact label="Python">
          <span title={facts.python_path}>{facts.python}</span>
        </Fact>
        <Fact label="Processors">{formatNumberOf(facts.cpus, "core")}</Fact>
        <Fact label="Memory">{formatBytes(facts.memory_bytes)}</Fact>
        <Fact label="GPUs">{facts.gpus.length === 0 ? "none" : describeGpus(facts.gpus)}</Fact>
        <Fact label="Runs lie in">
          <span title={root}>{root}</span>
        </Fact>
      </dl>
      <div className={shared.disk}>
        <span>Disk</span>
        <DiskBar free={facts.disk_free_bytes} total={facts.disk_bytes} />
      </div>
    </>
  );
}

/** "4 × NVIDIA H200 (151 GB)" */
function describeGpus(gpus: HostFacts["gpus"]): string {
  const counts = new Map<string, number>();
  for (const { name, memory_bytes } of gpus) {
    const kind = `${name} (${formatBytes(memory_bytes)})`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`)).join(", ");
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A host's name under edit: Enter keeps it, Escape does not, and going elsewhere keeps it. */
function HostNameField({ name, onDone }: { name: string; onDone: (name: string | null) => void }) {
  const isDone = useRef(false);
  const end = (value: string | null) => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(value);
  };
  return (
    <TextInput
      size="xs"
      w={240}
      aria-label="Name of the host"
      defaultValue={name}
      maxLength={200}
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onKeyDown={(event) => {
        if (event.key === "Enter") end(event.currentTarget.value);
        if (event.key === "Escape") end(null);
        event.stopPropagation();
      }}
      onBlur={(event) => end(event.currentTarget.value)}
    />
  );
}
