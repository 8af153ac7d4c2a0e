import { Alert, Button, Group, Modal, ScrollArea, Stack, TextInput, UnstyledButton } from "@mantine/core";
import { formatAgo, formatNumberOf } from "@sightline/core/format";
import type { HostSummary } from "@sightline/core/hosts";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import classes from "./watch-dialog.module.css";

/** Follows a run that somebody else started on a host: by the path of its directory, or one that is found there. */
export function WatchDialog({ host, onClose }: { host: HostSummary; onClose: () => void }) {
  const navigate = useNavigate();
  const [directory, setDirectory] = useState("");
  const [folder, setFolder] = useState("~");
  const watch = useMutation(
    trpc.runs.watch.mutationOptions({
      onSuccess: ({ run_id }) => void navigate({ to: "/runs/$runId", params: { runId: run_id } }),
    }),
  );
  const search = useMutation(trpc.runs.findElsewhere.mutationOptions());
  const start = (path: string) => watch.mutate({ host_id: host.host_id, directory: path });
  return (
    <Modal opened onClose={onClose} title={`Watch a run on ${host.name}`} size="lg">
      <Stack gap="sm">
        <p className={classes.text}>
          A run that somebody else started is read as it goes on, and nothing is ever written to it: it can't
          be stopped or resumed from here.
        </p>
        <form
          autoComplete="off"
          onSubmit={(event) => {
            event.preventDefault();
            start(directory.trim());
          }}
        >
          <div className={classes.line}>
            <TextInput
              className={classes.field}
              size="xs"
              label="Run directory on the host"
              placeholder="/data/experiments/run-7"
              required
              data-autofocus
              value={directory}
              onChange={({ currentTarget }) => setDirectory(currentTarget.value)}
            />
            <Button type="submit" loading={watch.isPending}>
              Watch
            </Button>
          </div>
        </form>
        {watch.error && (
          <Alert color="var(--sl-wrong)" role="alert">
            {watch.error.message}
          </Alert>
        )}
        <form
          autoComplete="off"
          onSubmit={(event) => {
            event.preventDefault();
            search.mutate({ host_id: host.host_id, folder: folder.trim() });
          }}
        >
          <div className={classes.line}>
            <TextInput
              className={classes.field}
              size="xs"
              label="Or look for run directories below"
              required
              value={folder}
              onChange={({ currentTarget }) => setFolder(currentTarget.value)}
            />
            <Button type="submit" variant="default" loading={search.isPending}>
              Look
            </Button>
          </div>
        </form>
        {search.error && (
          <Alert color="var(--sl-wrong)" role="alert">
            {search.error.message}
          </Alert>
        )}
        {search.data && (
          <>
            <p className={classes.text} role="status">
              {search.data.runs.length === 0
                ? `No run directory lies below ${search.data.folder}.`
                : `${formatNumberOf(search.data.runs.length, "run")} below ${search.data.folder}.`}
              {search.data.partial &&
                " There was too much to look at everything: name a folder further down."}
            </p>
            <ScrollArea.Autosize mah={260} type="auto">
              <ul className={classes.found} aria-label="Runs found">
                {search.data.runs.map(({ directory: path, name, attempts, written_secs }) => (
                  <li key={path}>
                    <UnstyledButton className={classes.run} onClick={() => start(path)}>
                      <b>{name}</b>
                      <span>
                        {formatNumberOf(attempts, "attempt")}
                        {written_secs > 0 && ` · wrote ${formatAgo(written_secs, Date.now() / 1000)}`}
                      </span>
                      <code>{path}</code>
                    </UnstyledButton>
                  </li>
                ))}
              </ul>
            </ScrollArea.Autosize>
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
