import { ActionIcon, Anchor, Tooltip, UnstyledButton } from "@mantine/core";
import { formatBytes, formatNumberOf } from "@sightline/core/format";
import { StatusMark, type Tone } from "@sightline/ui/status";
import { IconPlayerPause, IconPlayerPlay, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import {
  cancelUpload,
  canHold,
  continueUpload,
  forgetUpload,
  holdUpload,
  type Upload,
  useUploads,
} from "../../app/uploads.ts";
import classes from "./upload-panel.module.css";

/** A file that arrived without anything to say of it leaves the panel after this time. */
const LINGER_MS = 2500;

const TONES: Record<Upload["state"], Tone> = {
  waiting: "waiting",
  sending: "busy",
  held: "waiting",
  arrived: "done",
  failed: "wrong",
};

/** The files that are on their way into the library, above the clips. */
export function UploadPanel() {
  const uploads = useUploads((state) => state.uploads);
  if (uploads.length === 0) return null;
  const open = uploads.filter(({ state }) => state !== "arrived");
  const ended = uploads.filter(({ state }) => state === "arrived" || state === "failed");
  const sent = open.reduce((sum, upload) => sum + (upload.sent ?? 0), 0);
  const bytes = open.reduce((sum, upload) => sum + upload.bytes, 0);
  return (
    <section className={classes.panel} aria-label="Files being added">
      <div className={classes.head}>
        <span>
          {open.length === 0
            ? "All files have arrived"
            : `Adding ${formatNumberOf(open.length, "file")} · ${formatBytes(sent)} of ${formatBytes(bytes)}`}
        </span>
        {ended.length > 0 && (
          <UnstyledButton
            className={classes.clear}
            onClick={() => {
              for (const { upload_id, state } of ended) {
                if (state === "failed") cancelUpload(upload_id);
                else forgetUpload(upload_id);
              }
            }}
          >
            Clear
          </UnstyledButton>
        )}
      </div>
      <ul className={classes.list}>
        {uploads.map((upload) => (
          <UploadRow key={upload.upload_id} upload={upload} />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({ upload }: { upload: Upload }) {
  const { upload_id, name, bytes, sent, state, note, problem, clip_id } = upload;
  const isPlain = state === "arrived" && note === null;
  useEffect(() => {
    if (!isPlain) return;
    const timer = setTimeout(() => forgetUpload(upload_id), LINGER_MS);
    return () => clearTimeout(timer);
  }, [isPlain, upload_id]);

  const share = sent === null || bytes === 0 ? null : sent / bytes;
  return (
    <li className={classes.row}>
      <StatusMark tone={TONES[state]} />
      <span className={classes.name} title={name}>
        {name}
      </span>
      <span className={classes.news} data-wrong={problem !== null || undefined}>
        {problem ?? note ?? (state === "arrived" ? "Arrived" : state === "held" ? "Paused" : null)}
        {note !== null && clip_id !== null && (
          <Anchor
            inherit
            ml={6}
            renderRoot={(props) => <Link to="/clips/$clipId" params={{ clipId: clip_id }} {...props} />}
          >
            Open it
          </Anchor>
        )}
        {(state === "sending" || state === "waiting") && (
          <span
            className={classes.bar}
            data-unknown={share === null || undefined}
            role="progressbar"
            aria-label={`Adding ${name}`}
            aria-valuenow={share === null ? undefined : Math.round(share * 100)}
          >
            <span style={{ width: share === null ? undefined : `${share * 100}%` }} />
          </span>
        )}
      </span>
      <span className={classes.number}>
        {state === "arrived" || sent === null
          ? formatBytes(bytes)
          : `${formatBytes(sent)} of ${formatBytes(bytes)}`}
      </span>
      <span className={classes.actions}>
        {state === "sending" && canHold(upload_id) && (
          <Action
            label="Pause"
            name={name}
            run={() => holdUpload(upload_id)}
            icon={<IconPlayerPause size={14} />}
          />
        )}
        {(state === "held" || state === "failed") && (
          <Action
            label="Go on"
            name={name}
            run={() => continueUpload(upload_id)}
            icon={<IconPlayerPlay size={14} />}
          />
        )}
        {state === "arrived" ? (
          <Action label="Clear" name={name} run={() => forgetUpload(upload_id)} icon={<IconX size={14} />} />
        ) : (
          (state !== "sending" || canHold(upload_id)) && (
            <Action
              label="Cancel"
              name={name}
              run={() => cancelUpload(upload_id)}
              icon={<IconX size={14} />}
            />
          )
        )}
      </span>
    </li>
  );
}

function Action({
  label,
  name,
  run,
  icon,
}: {
  label: string;
  name: string;
  run: () => void;
  icon: React.ReactNode;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={22} aria-label={`${label}: ${name}`} onClick={run}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
