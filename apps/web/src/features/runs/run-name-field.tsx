import { TextInput } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";

/** A run's name while it is being changed: Enter keeps it, Escape does not. */
export function RunNameField({ name, onDone }: { name: string; onDone: (name: string | null) => void }) {
  const [draft, setDraft] = useState(name);
  return (
    <TextInput
      size="xs"
      w={260}
      value={draft}
      aria-label="Name of the run"
      data-autofocus
      ref={(input) => input?.focus()}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={() => onDone(draft)}
      onKeyDown={(event: KeyboardEvent) => {
        event.stopPropagation();
        if (event.key === "Enter") onDone(draft);
        if (event.key === "Escape") onDone(null);
      }}
    />
  );
}
