import { ActionIcon, Menu } from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import {
  IconDotsVertical,
  IconDownload,
  IconFileExport,
  IconPencil,
  IconRestore,
  IconTag,
  IconTrash,
} from "@tabler/icons-react";
import { useState } from "react";
import { openExport } from "../../app/exchange/exchange.ts";
import type { ClipActions } from "./clip-actions.ts";

/** What can be done with one clip. */
export function ClipMenu({
  clip,
  actions,
  className,
}: {
  clip: Clip;
  actions: ClipActions;
  className?: string;
}) {
  const icon = { size: 15, stroke: 1.6 };
  const [next, setNext] = useState<((clip: Clip) => void) | null>(null);
  // The closing menu gives the focus back to its button; what takes the focus itself has to wait for that.
  const afterClosing = (run: (clip: Clip) => void) => () => setNext(() => run);
  return (
    <Menu
      position="bottom-end"
      width={220}
      onExitTransitionEnd={() => {
        setNext(null);
        if (next !== null) setTimeout(() => next(clip), 20);
      }}
    >
      <Menu.Target>
        <ActionIcon className={className} size={24} tabIndex={-1} aria-label={`What to do with ${clip.name}`}>
          <IconDotsVertical size={15} stroke={1.8} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {clip.trashed_secs !== null ? (
          <Menu.Item leftSection={<IconRestore {...icon} />} onClick={() => actions.restore(clip)}>
            Restore
          </Menu.Item>
        ) : (
          <>
            <Menu.Item
              leftSection={<IconPencil {...icon} />}
              rightSection="F2"
              onClick={afterClosing(actions.rename)}
            >
              Rename
            </Menu.Item>
            <Menu.Item
              leftSection={<IconTag {...icon} />}
              rightSection="T"
              onClick={afterClosing(actions.tag)}
            >
              Tags…
            </Menu.Item>
            <Menu.Item
              component="a"
              href={`/media/clips/${clip.clip_id}/original`}
              download={clip.name}
              leftSection={<IconDownload {...icon} />}
            >
              Save the file
            </Menu.Item>
            <Menu.Item
              leftSection={<IconFileExport {...icon} />}
              rightSection="⇧E"
              onClick={afterClosing(({ clip_id }) => openExport([{ clip_id }]))}
            >
              Export key-frames…
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              leftSection={<IconTrash {...icon} />}
              rightSection="Del"
              onClick={() => actions.trash(clip)}
            >
              Move to the trash
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
