import { Button, FileButton, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../../app/clients.ts";
import { notifyFailure } from "../../../app/notify.tsx";
import { toBase64 } from "./base64.ts";
import classes from "./launch-page.module.css";

/** The server takes 400,000 characters of base64. */
const MOST_BYTES = 300_000;

/** A person's Python file of rewards: kept with the run, checked by the trainer before anything is trained. */
export function OwnRewards({
  value,
  onSet,
}: {
  value: unknown;
  onSet: (name: string, value: string | null) => void;
}) {
  const [name, setName] = useState<string | null>(null);
  const keep = useMutation({
    mutationFn: async (file: File) =>
      client.training.keepRewards.mutate({ base64: await toBase64(file, MOST_BYTES) }),
    onSuccess: ({ reward_file }, file) => {
      setName(file.name);
      onSet("reward_file", reward_file);
    },
    onError: (error) => notifyFailure("Could not keep the file of rewards", error),
  });
  const isSet = typeof value === "string" && value !== "";
  return (
    <section aria-label="Own rewards">
      <h2 className={classes.heading}>Own rewards</h2>
      <Group gap="xs">
        <FileButton accept=".py,text/x-python" onChange={(file) => file && keep.mutate(file)}>
          {(props) => (
            <Button {...props} size="xs" variant="default" loading={keep.isPending}>
              {isSet ? "Choose another file" : "Choose a Python file"}
            </Button>
          )}
        </FileButton>
        {isSet && (
          <Button size="xs" variant="subtle" onClick={() => onSet("reward_file", null)}>
            Remove
          </Button>
        )}
      </Group>
      <p className={classes.quiet}>
        {isSet
          ? `${name ?? "A file"} is kept with the run. A stage weighs its functions by their names.`
          : "Each function gives a completion a number from 0 to 1. Without a file there are format, accuracy and consistency."}
      </p>
    </section>
  );
}
