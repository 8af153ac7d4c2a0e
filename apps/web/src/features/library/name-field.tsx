import { TextInput } from "@mantine/core";
import { useRef } from "react";
import classes from "./name-field.module.css";

/** A clip's name under edit: Enter keeps it, Escape does not, and going elsewhere keeps it. */
export function NameField({ name, onDone }: { name: string; onDone: (name: string | null) => void }) {
  const isDone = useRef(false);
  const end = (value: string | null) => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(value);
  };
  return (
    <TextInput
      className={classes.field}
      aria-label="Name of the clip"
      defaultValue={name}
      maxLength={200}
      autoFocus
      onFocus={(event) => {
        const dot = name.lastIndexOf(".");
        event.currentTarget.setSelectionRange(0, dot > 0 ? dot : name.length);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") end(event.currentTarget.value);
        if (event.key === "Escape") end(null);
      }}
      onBlur={(event) => end(event.currentTarget.value)}
    />
  );
}
