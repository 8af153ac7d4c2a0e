import { ActionIcon, Button, Menu, Skeleton } from "@mantine/core";
import { formatNumberOf } from "@sightline/core/format";
import { IconDots, IconKey, IconPencil, IconPlugConnected, IconPlus, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client, trpc } from "../../app/clients.ts";
import { notifyFailure, notifyUndoable } from "../../app/notify.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import classes from "./endpoints.module.css";
import shared from "./settings.module.css";

/** The OpenAI-compatible endpoints that can be asked: for triples, reasoning and judging. */
export function Endpoints() {
  const queries = useQueryClient();
  const endpoints = useQuery(trpc.endpoints.list.queryOptions());
  const [edited, setEdited] = useState<string | "new" | null>(null);
  if (endpoints.isPending) return <Skeleton height={60} />;
  if (endpoints.isError) return <p className={shared.problem}>{endpoints.error.message}</p>;

  const refresh = () => queries.invalidateQueries({ queryKey: trpc.endpoints.list.queryKey() });
  const remove = async (endpoint_id: string, name: string) => {
    try {
      await client.endpoints.remove.mutate({ endpoint_id });
      notifyUndoable(
        `${name} is gone, and its key with it.`,
        () =>
          void client.endpoints.restore
            .mutate({ endpoint_id })
            .then(refresh)
            .catch((error: unknown) => notifyFailure(`${name} did not come back`, error)),
      );
      await refresh();
    } catch (error) {
      notifyFailure(`${name} stays`, error);
    }
  };
  const icon = { size: 15, stroke: 1.6 };
  return (
    <>
      {endpoints.data.length > 0 && (
        <ul className={classes.list}>
          {endpoints.data.map(({ endpoint_id, name, base_url, models, has_key }) => (
            <li key={endpoint_id} data-testid="endpoint">
              <div className={classes.line}>
                <div className={classes.what}>
                  <b>{name}</b>
                  <span className={classes.url}>{base_url}</span>
                  <span className={classes.facts}>
                    {models.length === 0 ? "no model chosen" : models.join(", ")}
                    {has_key && (
                      <>
                        {" · "}
                        <IconKey size={12} stroke={1.8} aria-hidden /> has a key
                      </>
                    )}
                  </span>
                </div>
                <Menu position="bottom-end" width={150}>
                  <Menu.Target>
                    <ActionIcon aria-label={`What to do with ${name}`}>
                      <IconDots size={15} />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item leftSection={<IconPencil {...icon} />} onClick={() => setEdited(endpoint_id)}>
                      Change
                    </Menu.Item>
                    <Menu.Item
                      leftSection={<IconTrash {...icon} />}
                      onClick={() => void remove(endpoint_id, name)}
                    >
                      Remove
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
              </div>
              <Attempt endpoint_id={endpoint_id} model={models[0] ?? null} />
            </li>
          ))}
        </ul>
      )}
      {endpoints.data.length === 0 && <p className={shared.hint}>None yet.</p>}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} stroke={1.8} />}
        onClick={() => setEdited("new")}
      >
        Add an endpoint
      </Button>
      {edited !== null && (
        <EndpointDialog
          endpoint={endpoints.data.find((one) => one.endpoint_id === edited) ?? null}
          onClose={() => {
            setEdited(null);
            void refresh();
          }}
        />
      )}
    </>
  );
}

/** "Try it": whether the endpoint answers, and what is wrong where it doesn't. */
function Attempt({ endpoint_id, model }: { endpoint_id: string; model: string | null }) {
  const attempt = useMutation(trpc.endpoints.attempt.mutationOptions());
  const { data, error } = attempt;
  const problem = error?.message ?? data?.problem ?? null;
  return (
    <div className={classes.attempt}>
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconPlugConnected size={13} stroke={1.6} />}
        loading={attempt.isPending}
        onClick={() => attempt.mutate({ endpoint_id, model })}
      >
        Try it
      </Button>
      {problem !== null && (
        <p className={shared.problem} role="alert">
          {problem}
        </p>
      )}
      {problem === null && data !== undefined && (
        <p className={classes.good} role="status">
          {[
            data.models === null
              ? "It lists no models"
              : `It has ${formatNumberOf(data.models.length, "model")}`,
            data.answer_secs === null ? null : `${model} answered in ${data.answer_secs.toFixed(1)} s`,
          ]
            .filter((part) => part !== null)
            .join("; ")}
          .
        </p>
      )}
    </div>
  );
}
