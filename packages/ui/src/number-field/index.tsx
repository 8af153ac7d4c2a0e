import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useState } from "react";

/**
 * A field for a number that keeps what is being typed: “0.0” on the way to “0.05” is no other number, and no empty
 * field.
 *
 * @param value  Null shows an empty field.
 * @param onChange  Gets null when the field is empty, or holds no number yet.
 */
export function NumberField({
  value,
  onChange,
  ...props
}: Omit<NumberInputProps, "value" | "onChange" | "defaultValue"> & {
  value: number | null;
  onChange: (value: number | null) => void;
}) {
  const [typed, setTyped] = useState<string | number>(value ?? "");
  return (
    <NumberInput
      {...props}
      value={toNumber(typed) === value ? typed : (value ?? "")}
      onChange={(next) => {
        setTyped(next);
        onChange(toNumber(next));
      }}
    />
  );
}

function toNumber(text: string | number): number | null {
  if (text === "" || text === "-") return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}
