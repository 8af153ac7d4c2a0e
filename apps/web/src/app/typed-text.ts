import { type ChangeEvent, useState } from "react";

/**
 * A text field whose text stands in the address. The address follows a moment later; until then what was typed holds,
 * so that no letter of who types quickly is lost.
 *
 * @param text  As the address has it.
 * @param onText  Puts a text into the address.
 * @returns Props of the field.
 */
export function useTypedText(text: string, onText: (text: string) => void) {
  const [typed, setTyped] = useState<string | null>(null);
  if (typed === text) setTyped(null);
  return {
    value: typed ?? text,
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
      setTyped(currentTarget.value);
      onText(currentTarget.value);
    },
    onBlur: () => setTyped(null),
  };
}
