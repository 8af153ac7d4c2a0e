import { ActionIcon, Button, Skeleton, TextInput } from "@mantine/core";
import { IconCloudDown, IconPlus, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client, trpc } from "../../app/clients.ts";
import { notifyFailure, notifyUndoable } from "../../app/notify.tsx";
import classes from "./hub-models.module.css";
import shared from "./settings.module.css";

/** Models of the hub that can be asked: a browser fetches and runs them. */
export function HubModels() {
  const queries = useQueryClient();
  const policies = useQuery(trpc.policies.list.queryOptions());
  const hub = useQuery(trpc.policies.hub.queryOptions());
  const [id, setId] = useState("");
  const refresh = () => queries.invalidateQueries({ queryKey: trpc.policies.list.queryKey() });
  const add = useMutation(
    trpc.policies.addHubModel.mutationOptions({
      onSuccess() {
        setId("");
        return refresh();
      },
    }),
  );
  const remove = async (gone: string) => {
    try {
      await client.policies.removeHubModel.mutate({ id: gone });
      notifyUndoable(
        `${gone} is gone from the list.`,
        () =>
          void client.policies.addHubModel
            .mutate({ id: gone })
            .then(refresh)
            .catch((error: unknown) => notifyFailure(`${gone} did not come back`, error)),
      );
      await refresh();
    } catch (error) {
      notifyFailure(`${gone} stays`, error);
    }
  };
  if (policies.isPending) return <Skeleton height={60} />;
  if (policies.isError) return <p className={shared.problem}>{policies.error.message}</p>;

  const ids = policies.data.flatMap(({ source }) => (source.kind === "hub" ? [source.id] : []));
  return (
    <>
      {ids.length > 0 && (
        <ul className={shared.folders} aria-label="Models from the hub">
          {ids.map((one) => (
            <li key={one}>
              <IconCloudDown size={15} stroke={1.6} aria-hidden />
              <span className={`${shared.path} ${classes.id}`}>{one}</span>
              <ActionIcon aria-label={`Remove ${one}`} onClick={() => void remove(one)}>
                <IconTrash size={15} stroke={1.6} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate({ id });
        }}
      >
        <TextInput
          className={classes.id}
          size="xs"
          aria-label="Id of a model"
          placeholder="owner/name"
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          spellCheck={false}
        />
        <Button
          type="submit"
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} stroke={1.8} />}
          loading={add.isPending}
          disabled={id.trim() === ""}
        >
          Add a model
        </Button>
      </form>
      {add.isError && (
        <p className={shared.problem} role="alert">
          {add.error.message}
        </p>
      )}
      {hub.data !== undefined && (
        <p className={shared.hint}>
          Of {hub.data}: language models with ONNX weights, as they are laid out for transformers.js. A model
          is looked up when it is first asked.
        </p>
      )}
    </>
  );
}
