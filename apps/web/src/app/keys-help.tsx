import { FocusTrap, Kbd, Modal } from "@mantine/core";
import { create } from "zustand";
import { getKeyLabels } from "./key-label.ts";
import { type KeyBinding, usePageKeys } from "./keys.ts";
import classes from "./keys-help.module.css";

const useHelp = create<{ isOpen: boolean }>(() => ({ isOpen: false }));

export function showKeys(): void {
  useHelp.setState({ isOpen: true });
}

/** The keys that work here: those of the page, and those that work everywhere. */
export function KeysHelp() {
  const isOpen = useHelp((state) => state.isOpen);
  const pages = usePageKeys((state) => state.pages);
  const ordered = [
    ...pages.filter(({ page }) => page !== "Everywhere"),
    ...pages.filter(({ page }) => page === "Everywhere"),
  ];
  return (
    <Modal opened={isOpen} onClose={() => useHelp.setState({ isOpen: false })} title="Keys" size="lg">
      <FocusTrap.InitialFocus />
      <div className={classes.groups}>
        {ordered.map(({ page, bindings }) => (
          <section key={page}>
            <h3 className={classes.heading}>{page}</h3>
            <dl className={classes.list}>
              {bindings.map((binding) => (
                <KeyRow key={binding.key} binding={binding} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}

function KeyRow({ binding }: { binding: KeyBinding }) {
  return (
    <div className={classes.row}>
      <dt>{binding.label}</dt>
      <dd>
        {(binding.shown ?? binding.key).split(" ").map((combination) => (
          <span key={combination} className={classes.combination}>
            {getKeyLabels(combination).map((label) => (
              <Kbd key={label}>{label}</Kbd>
            ))}
          </span>
        ))}
      </dd>
    </div>
  );
}
