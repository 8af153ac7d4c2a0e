import { Button, Skeleton, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import shared from "./settings.module.css";
import classes from "./signature.module.css";

/** The name that decisions are signed with. */
export function Signature() {
  const queries = useQueryClient();
  const signature = useQuery(trpc.decisions.signature.queryOptions());
  const [draft, setDraft] = useState<string | null>(null);
  const save = useMutation(
    trpc.decisions.setSignature.mutationOptions({
      onSuccess() {
        setDraft(null);
        return queries.invalidateQueries({ queryKey: trpc.decisions.signature.queryKey() });
      },
    }),
  );
  if (signature.isPending) return <Skeleton height={30} width={220} />;
  if (signature.isError) return <p className={shared.problem}>{signature.error.message}</p>;
  const { name, is_given } = signature.data;
  const shown = draft ?? (is_given ? name : "");
  return (
    <>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ name: shown });
        }}
      >
        <TextInput
          className={classes.name}
          size="xs"
          aria-label="Your name"
          placeholder={name}
          maxLength={60}
          value={shown}
          onChange={(event) => setDraft(event.currentTarget.value)}
          spellCheck={false}
        />
        <Button
          type="submit"
          size="xs"
          variant="default"
          loading={save.isPending}
          disabled={shown.trim() === "" || shown.trim() === (is_given ? name : "")}
        >
          Sign with it
        </Button>
      </form>
      {save.isError && (
        <p className={shared.problem} role="alert">
          {save.error.message}
        </p>
      )}
      <p className={shared.hint}>
        {is_given ? "" : `Until a name is given, decisions are signed “${name}”. `}
        There are no accounts yet: everyone who works with this server signs with this name. What was signed
        before keeps its name.
      </p>
    </>
  );
}
