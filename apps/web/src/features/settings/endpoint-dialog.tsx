import { Button, NumberInput, PasswordInput, TagsInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import { FormDialog } from "../../app/form-dialog.tsx";

type Endpoint = {
  endpoint_id: string;
  name: string;
  base_url: string;
  models: string[];
  concurrency: number;
  has_key: boolean;
};

const KNOWN = "vLLM: http://127.0.0.1:8000/v1 · Ollama: http://127.0.0.1:11434/v1";

/** A new endpoint, or another name, address, model or key for one. The key goes to the server and never comes back. */
export function EndpointDialog({ endpoint, onClose }: { endpoint: Endpoint | null; onClose: () => void }) {
  const [name, setName] = useState(endpoint?.name ?? "");
  const [base_url, setBaseUrl] = useState(endpoint?.base_url ?? "");
  const [models, setModels] = useState(endpoint?.models ?? []);
  const [concurrency, setConcurrency] = useState<number | string>(endpoint?.concurrency ?? 16);
  const [key, setKey] = useState("");
  const [forgets, setForgets] = useState(false);
  const put = useMutation(trpc.endpoints.put.mutationOptions({ onSuccess: onClose, gcTime: 0 }));
  const has_key = endpoint?.has_key === true && !forgets;
  const moves = endpoint !== null && base_url.trim() !== endpoint.base_url;
  return (
    <FormDialog
      title={endpoint === null ? "Add an endpoint" : `Change ${endpoint.name}`}
      problem={put.error?.message ?? null}
      isSaving={put.isPending}
      aside={
        has_key && (
          <Button size="xs" variant="default" mr="auto" onClick={() => setForgets(true)}>
            Forget the key
          </Button>
        )
      }
      onSave={() =>
        put.mutate({
          endpoint_id: endpoint?.endpoint_id ?? null,
          name,
          base_url,
          models,
          concurrency: Number(concurrency),
          ...(key !== "" ? { key } : forgets ? { key: null } : {}),
        })
      }
      onClose={onClose}
    >
      <TextInput
        size="xs"
        label="Name"
        required
        data-autofocus
        placeholder="lab"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <TextInput
        size="xs"
        label="Base URL"
        description={KNOWN}
        required
        placeholder="http://127.0.0.1:8000/v1"
        value={base_url}
        onChange={({ currentTarget }) => setBaseUrl(currentTarget.value)}
      />
      <TagsInput
        size="xs"
        label="Models"
        description="The first is offered first; Enter after each."
        placeholder={models.length === 0 ? "qwen2.5-vl-72b-instruct" : undefined}
        value={models}
        onChange={setModels}
        acceptValueOnBlur
      />
      <NumberInput
        size="xs"
        label="Calls at the same time"
        min={1}
        max={256}
        value={concurrency}
        onChange={setConcurrency}
      />
      <PasswordInput
        size="xs"
        label="Key"
        autoComplete="off"
        description={
          has_key && moves
            ? "Another base URL takes the key away; enter it again if the new address should get it."
            : has_key
              ? "There is one. It is kept on the server and never shown; what you enter here replaces it."
              : "Kept on the server in a file that only you can read; empty where none is needed."
        }
        value={key}
        onChange={({ currentTarget }) => setKey(currentTarget.value)}
      />
    </FormDialog>
  );
}
