import { Button, CopyButton, Modal } from "@mantine/core";
import { formatVideoText, type TripleSet } from "@sightline/core/perception";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import classes from "./text-dialog.module.css";

/** The text that a language model reads in place of the video. */
export function TextDialog({ set, onClose }: { set: TripleSet; onClose: () => void }) {
  const text = formatVideoText(set.triples, set.question);
  return (
    <Modal opened onClose={onClose} title="The text that the model reads" size="xl">
      <section
        className={classes.text}
        data-testid="video-text"
        aria-label="Text"
        data-autofocus
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard.
        tabIndex={0}
      >
        {text}
      </section>
      <div className={classes.foot}>
        <span>
          {text.length.toLocaleString("en")} characters, roughly{" "}
          {Math.round(text.length / 4).toLocaleString("en")} tokens
        </span>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="default"
              leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} stroke={1.6} />}
              onClick={copy}
            >
              {copied ? "Copied" : "Copy"}
            </Button>
          )}
        </CopyButton>
      </div>
    </Modal>
  );
}
