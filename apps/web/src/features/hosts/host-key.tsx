import { Alert, Button, Checkbox } from "@mantine/core";
import type { HostContact, HostKey } from "@sightline/core/hosts";
import { IconFingerprint, IconShieldX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import classes from "./host-key.module.css";

export type Place = { address: string; port: number | null };

/**
 * The key by which a host shows itself, for a person to compare and confirm. A key that changed is a hard stop: both
 * are shown, and nothing goes on until somebody says that they know why.
 */
export function HostKeyPart({
  place,
  contact,
  confirmLabel,
  onConfirmed,
}: {
  place: Place;
  contact: HostContact;
  confirmLabel: string;
  onConfirmed: () => void;
}) {
  const [hasCompared, setCompared] = useState(false);
  const confirm = useMutation(trpc.hosts.confirm.mutationOptions({ onSuccess: onConfirmed }));
  const [key] = contact.host_keys;
  const is_changed = contact.state === "changed";
  if (key === undefined) return null;
  return (
    <section
      className={classes.part}
      data-changed={is_changed || undefined}
      aria-label={is_changed ? "The host's key changed" : "The host's key"}
    >
      <h3 className={classes.title}>
        {is_changed ? <IconShieldX size={17} stroke={1.7} /> : <IconFingerprint size={17} stroke={1.7} />}
        {is_changed ? "The host's key changed: nothing is sent to it" : "Is this the right machine?"}
      </h3>
      <p className={classes.text}>
        {is_changed ? (
          <>
            Either the machine was installed anew, or another one answers in its place and would see
            everything that is sent. Ask whoever looks after it before you go on.
          </>
        ) : (
          <>
            {describeTarget(contact)} was never seen before. Compare the fingerprint with the one that the
            machine itself shows, then confirm it.
          </>
        )}
      </p>
      {is_changed && <Keys label="Known until now" keys={contact.known_keys} tone="known" />}
      <Keys label={is_changed ? "Shown now" : "It shows"} keys={contact.host_keys} tone="shown" />
      <p className={classes.text}>
        On the machine's own console:{" "}
        <code>ssh-keygen -lf /etc/ssh/ssh_host_{shortType(key.type)}_key.pub</code>
      </p>
      {is_changed && (
        <Checkbox
          size="xs"
          label="I know why the key changed, and I have compared the new fingerprint on the machine itself."
          checked={hasCompared}
          onChange={({ currentTarget }) => setCompared(currentTarget.checked)}
        />
      )}
      {confirm.error && (
        <Alert color="var(--sl-wrong)" role="alert">
          {confirm.error.message}
        </Alert>
      )}
      <div>
        <Button
          variant={is_changed ? "default" : "filled"}
          disabled={is_changed && !hasCompared}
          loading={confirm.isPending}
          onClick={() => confirm.mutate({ ...place, fingerprint: key.fingerprint, replace: is_changed })}
        >
          {is_changed ? "Trust the new key" : confirmLabel}
        </Button>
      </div>
    </section>
  );
}

function Keys({ label, keys, tone }: { label: string; keys: readonly HostKey[]; tone: "known" | "shown" }) {
  return (
    <dl className={classes.keys} data-tone={tone}>
      <dt>{label}</dt>
      {keys.map(({ type, fingerprint }) => (
        <dd key={fingerprint}>
          <code>{fingerprint}</code> <span>{type}</span>
        </dd>
      ))}
    </dl>
  );
}

function describeTarget({ target }: HostContact): string {
  if (target === null) return "This host";
  const port = target.port === 22 ? "" : `, port ${target.port}`;
  const via = target.via === null ? "" : `, reached through ${target.via}`;
  return `${target.hostname}${port}${via}`;
}

/** "ssh-ed25519" is the file `ssh_host_ed25519_key`. */
function shortType(type: string): string {
  return type
    .replace(/^ssh-/, "")
    .replace(/-sha2-.*$/, "")
    .toLowerCase();
}
