import { ActionIcon, Alert, Button, TextInput } from "@mantine/core";
import { checkRoot, DEFAULT_ROOT, type HostContact, readAddress } from "@sightline/core/hosts";
import { StatusMark, type Tone } from "@sightline/ui/status";
import { IconArrowLeft } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { trpc } from "../../app/clients.ts";
import { usePageTitle } from "../../app/page-title.ts";
import classes from "./attach-page.module.css";
import { Doctor } from "./doctor.tsx";
import { HostKeyPart, type Place } from "./host-key.tsx";
import shared from "./hosts.module.css";
import { HostTrainer } from "./trainer.tsx";
import { useHosts } from "./use-hosts.ts";

/** Attaches a host that is reached by SSH, step by step; nothing is written down before its key is confirmed. */
export function AttachPage() {
  usePageTitle("Hosts", "Attach a host");
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [address, setAddress] = useState("");
  const [root, setRoot] = useState(DEFAULT_ROOT);
  const [isChecked, setChecked] = useState(false);
  const hosts = useHosts().data ?? [];
  const attach = useMutation(trpc.hosts.attach.mutationOptions());
  const contact = useMutation(
    trpc.hosts.contact.mutationOptions({
      onSuccess: (found) => {
        if (found.state === "known") finish();
      },
    }),
  );
  const read = splitPort(address);
  const faults = {
    name: name.trim() === "" ? "The host needs a name." : null,
    address: read.problem,
    root: checkRoot(root.trim()),
  };
  const host = hosts.find(({ host_id }) => host_id === attach.data?.host_id);
  const place: Place = { address: read.address, port: read.port };
  const finish = () => attach.mutate({ ...place, name: name.trim(), root: root.trim() });
  const isAttached = attach.isSuccess;

  const look = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (Object.values(faults).some((fault) => fault !== null)) return;
    attach.reset();
    contact.mutate(place);
  };
  const shown = (fault: string | null) => (isChecked ? fault : null);

  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <ActionIcon
          aria-label="All hosts"
          renderRoot={(props) => <Link to="/hosts" {...props} />}
          variant="subtle"
          color="gray"
        >
          <IconArrowLeft size={17} stroke={1.7} />
        </ActionIcon>
        <h1 className={classes.title}>Attach a host</h1>
      </header>
      <p className={classes.intro}>
        A machine that you reach by SSH takes runs. Your own ssh config, agent and jump hosts count; nothing
        is installed as root there, nothing listens, and runs go on while the link is away.
      </p>
      <ol className={classes.steps}>
        <Step title="Which machine" state={isAttached || hasKey(contact.data) ? "done" : "now"}>
          {isAttached ? (
            <p className={classes.said}>
              {name.trim()} · {address.trim()} · {root.trim()}
            </p>
          ) : (
            <form
              className={classes.form}
              autoComplete="off"
              noValidate
              onSubmit={look}
              aria-label="Attach a host"
            >
              <TextInput
                size="xs"
                label="Name"
                description="As it is called here."
                placeholder="gpu-box"
                autoFocus
                value={name}
                error={shown(faults.name)}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              />
              <TextInput
                size="xs"
                label="Address"
                description="user@host, with :port if it isn't 22, or an alias of your ssh config."
                placeholder="ana@gpu-box.lab"
                value={address}
                error={shown(faults.address)}
                onChange={({ currentTarget }) => {
                  setAddress(currentTarget.value);
                  contact.reset();
                }}
              />
              <TextInput
                size="xs"
                label="Folder for runs"
                description="On that machine, with room for checkpoints."
                value={root}
                error={shown(faults.root)}
                onChange={({ currentTarget }) => setRoot(currentTarget.value)}
              />
              <div>
                <Button
                  type="submit"
                  variant={hasKey(contact.data) ? "default" : "filled"}
                  loading={contact.isPending || attach.isPending}
                >
                  {contact.data === undefined ? "Make contact" : "Look again"}
                </Button>
              </div>
            </form>
          )}
          {contact.error && <Failure>{contact.error.message}</Failure>}
          {contact.data?.state === "unreachable" && <Failure>{contact.data.problem}</Failure>}
        </Step>
        <Step title="Its key" state={isAttached ? "done" : hasKey(contact.data) ? "now" : "later"}>
          {contact.data !== undefined && hasKey(contact.data) && !isAttached && (
            <HostKeyPart
              place={place}
              contact={contact.data}
              confirmLabel="Confirm and attach"
              onConfirmed={finish}
            />
          )}
          {isAttached && <p className={classes.said}>It is confirmed: {fingerprintOf(contact.data)}</p>}
          {attach.error && <Failure>{attach.error.message}</Failure>}
        </Step>
        <Step title="What the doctor finds" state={host === undefined ? "later" : "now"}>
          {host !== undefined && <Doctor host={host} />}
        </Step>
        <Step title="What trains there" state={host === undefined ? "later" : "now"}>
          {host !== undefined && (
            <>
              <div className={shared.card}>
                <HostTrainer host={host} />
              </div>
              <div className={classes.end}>
                <Button
                  onClick={() => void navigate({ to: "/hosts/$hostId", params: { hostId: host.host_id } })}
                >
                  Open {host.name}
                </Button>
                <Button variant="default" renderRoot={(props) => <Link to="/runs/launch" {...props} />}>
                  Launch a run
                </Button>
              </div>
            </>
          )}
        </Step>
      </ol>
    </div>
  );
}

type StepState = "now" | "done" | "later";
const TONES: Record<StepState, Tone> = { now: "quiet", done: "done", later: "waiting" };

function Step({ title, state, children }: { title: string; state: StepState; children: ReactNode }) {
  return (
    <li className={classes.step} data-state={state} aria-current={state === "now" ? "step" : undefined}>
      <StatusMark tone={TONES[state]} />
      <div>
        <h2 className={classes.stepTitle}>{title}</h2>
        {children}
      </div>
    </li>
  );
}

function Failure({ children }: { children: ReactNode }) {
  return (
    <Alert className={classes.failure} color="var(--sl-wrong)" role="alert">
      {children}
    </Alert>
  );
}

function hasKey(contact: HostContact | undefined): boolean {
  return contact?.state === "new" || contact?.state === "changed";
}

function fingerprintOf(contact: HostContact | undefined): string {
  return contact?.host_keys[0]?.fingerprint ?? "the key that ssh knows.";
}

/** The address without the port that may stand behind it, and the port. */
function splitPort(text: string): { address: string; port: number | null; problem: string | null } {
  const [, before, digits] = /^(.*[^:]):(\d{1,5})$/.exec(text.trim()) ?? [];
  // More than one colon is an IPv6 address, in which the last group is no port.
  const isPort = before !== undefined && !before.includes(":");
  const { address, problem } = readAddress(isPort ? before : text);
  const port = isPort ? Number(digits) : null;
  if (address === null) return { address: "", port: null, problem };
  if (port !== null && (port < 1 || port > 65_535))
    return { address, port: null, problem: "A port is a number from 1 to 65535." };
  return { address, port, problem: null };
}
