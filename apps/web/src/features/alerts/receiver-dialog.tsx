import { PasswordInput, TextInput } from "@mantine/core";
import type { Webhook } from "@sightline/core/alerts";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import { FormDialog } from "../../app/form-dialog.tsx";

/** A new receiver, or another name, address or key for one. Address and key go to the server and never come back. */
export function ReceiverDialog({
  webhook,
  allowed,
  onClose,
}: {
  webhook: Webhook | null;
  /** Where alerts may go. */
  allowed: string;
  onClose: () => void;
}) {
  const [name, setName] = useState(webhook?.name ?? "");
  const [url, setUrl] = useState("");
  const [key, setKey] = useState("");
  const put = useMutation(trpc.alerts.putWebhook.mutationOptions({ onSuccess: onClose, gcTime: 0 }));
  const isNew = webhook === null;
  return (
    <FormDialog
      title={isNew ? "Add a receiver" : `Change ${webhook.name}`}
      problem={put.error?.message ?? null}
      isSaving={put.isPending}
      onSave={() =>
        put.mutate({
          webhook_id: webhook?.webhook_id ?? null,
          name,
          ...(url !== "" && { url }),
          ...(key !== "" && { key }),
        })
      }
      onClose={onClose}
    >
      <TextInput
        size="xs"
        label="Name"
        required
        data-autofocus
        placeholder="lab chat"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <PasswordInput
        size="xs"
        label="Address"
        required={isNew || !webhook.has_address}
        autoComplete="off"
        placeholder="https://hooks.example.org/services/…"
        description={
          isNew
            ? `Allowed: ${allowed}`
            : `It goes to ${webhook.origin}. The rest is kept on the server and not shown; what you enter here replaces it, and takes the key away.`
        }
        value={url}
        onChange={({ currentTarget }) => setUrl(currentTarget.value)}
      />
      <PasswordInput
        size="xs"
        label="Signing key"
        autoComplete="off"
        description="Empty sends plain JSON. With a key each call carries X-Sightline-Signature: t=TIME,v1=HMAC-SHA256 of “TIME.BODY”."
        value={key}
        onChange={({ currentTarget }) => setKey(currentTarget.value)}
      />
    </FormDialog>
  );
}
