import { ActionIcon, Button, Menu } from "@mantine/core";
import type { AlertDelivery, Webhook } from "@sightline/core/alerts";
import { formatAgo, formatNumberOf } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import { Status, type Tone } from "@sightline/ui/status";
import { IconDots, IconKey, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { notifyFailure, notifyUndoable } from "../../app/notify.tsx";
import classes from "./alerts.module.css";
import { ReceiverDialog } from "./receiver-dialog.tsx";

const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.alerts.webhooks.queryKey() });
const refreshLog = () => queryClient.invalidateQueries({ queryKey: trpc.alerts.deliveries.queryKey() });

/** Who is told of alerts, and what they were told. */
export function Receivers() {
  const receivers = useQuery(trpc.alerts.webhooks.queryOptions());
  const [edited, setEdited] = useState<string | "new" | null>(null);
  if (receivers.isPending) return <p className={classes.quiet}>Reading the receivers …</p>;
  if (receivers.isError)
    return (
      <EmptyState
        title="The receivers could not be read"
        actions={<Button onClick={() => void receivers.refetch()}>Try again</Button>}
      >
        {receivers.error.message}
      </EmptyState>
    );
  const { webhooks, allowed } = receivers.data;
  return (
    <>
      <p className={classes.quiet}>
        A receiver gets each alert, and its end, as JSON by POST. Allowed: {allowed}
      </p>
      {webhooks.length > 0 && (
        <ul className={classes.rows} aria-label="Receivers">
          {webhooks.map((one) => (
            <ReceiverRow key={one.webhook_id} webhook={one} onEdit={() => setEdited(one.webhook_id)} />
          ))}
        </ul>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} stroke={1.8} />}
        onClick={() => setEdited("new")}
      >
        Add a receiver
      </Button>
      <DeliveryLog webhooks={webhooks} />
      {edited !== null && (
        <ReceiverDialog
          webhook={webhooks.find(({ webhook_id }) => webhook_id === edited) ?? null}
          allowed={allowed}
          onClose={() => {
            setEdited(null);
            void refresh();
          }}
        />
      )}
    </>
  );
}

function ReceiverRow({ webhook, onEdit }: { webhook: Webhook; onEdit: () => void }) {
  const { webhook_id, name, origin, is_signed, has_address } = webhook;
  const test = () =>
    void client.alerts.testWebhook
      .mutate({ webhook_id })
      .then(refreshLog)
      .catch((error: unknown) => notifyFailure(`${name} was not told`, error));
  const remove = async () => {
    try {
      await client.alerts.removeWebhook.mutate({ webhook_id });
      await refresh();
      notifyUndoable(
        `${name} is gone, and its address with it.`,
        () =>
          void client.alerts.restoreWebhook
            .mutate({ webhook_id })
            .then(refresh)
            .catch((error: unknown) => notifyFailure(`${name} did not come back`, error)),
      );
    } catch (error) {
      notifyFailure(`${name} stays`, error);
    }
  };
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <b>{name}</b>
        <span className={classes.quiet}>
          {origin}/…{" "}
          {is_signed && (
            <>
              · <IconKey size={12} stroke={1.8} aria-hidden /> signed
            </>
          )}
        </span>
        {!has_address && <span className={classes.problem}>Its address is gone: enter it again.</span>}
      </div>
      <Button size="compact-xs" variant="default" aria-label={`Send a test to ${name}`} onClick={test}>
        Send a test
      </Button>
      <Menu position="bottom-end" width={150}>
        <Menu.Target>
          <ActionIcon size="sm" variant="subtle" color="gray" aria-label={`What to do with ${name}`}>
            <IconDots size={15} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={15} stroke={1.6} />} onClick={onEdit}>
            Change
          </Menu.Item>
          <Menu.Item leftSection={<IconTrash size={15} stroke={1.6} />} onClick={() => void remove()}>
            Remove
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}

const TONES: Record<AlertDelivery["state"], Tone> = {
  waiting: "waiting",
  delivered: "done",
  failed: "wrong",
};
const STATES: Record<AlertDelivery["state"], string> = {
  waiting: "waits",
  delivered: "told",
  failed: "given up",
};
const KINDS: Record<AlertDelivery["kind"], string> = { fired: "An alert", ended: "An end", test: "A test" };

/** What receivers were told, newest first. */
function DeliveryLog({ webhooks }: { webhooks: readonly Webhook[] }) {
  const log = useQuery(trpc.alerts.deliveries.queryOptions());
  if (log.isError) return <p className={classes.problem}>{log.error.message}</p>;
  if (!log.data || log.data.length === 0) return null;
  const nameOf = (id: string) =>
    webhooks.find(({ webhook_id }) => webhook_id === id)?.name ?? "a removed receiver";
  const now = Date.now() / 1000;
  return (
    <section aria-label="Deliveries">
      <h2 className={classes.heading}>Deliveries</h2>
      <ul className={classes.rows}>
        {log.data.map((one) => (
          <li key={one.delivery_id} className={classes.row}>
            <Status tone={TONES[one.state]} label={STATES[one.state]} />
            <div className={classes.what}>
              <span>
                {KINDS[one.kind]} to {nameOf(one.webhook_id)}
              </span>
              <span className={one.problem === null ? classes.quiet : classes.problem}>
                {one.problem ?? (one.status === null ? "Not tried yet." : `Answered ${one.status}.`)}
              </span>
            </div>
            <span className={classes.quiet}>
              {one.tries === 0 ? "" : `${formatNumberOf(one.tries, "try", "tries")}, `}
              {formatAgo(one.created_secs, now)}
            </span>
            {one.state === "failed" && (
              <Button
                size="compact-xs"
                variant="default"
                onClick={() =>
                  void client.alerts.retryDelivery
                    .mutate({ delivery_id: one.delivery_id })
                    .then(refreshLog)
                    .catch((error: unknown) => notifyFailure("It was not told anew", error))
                }
              >
                Tell again
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
