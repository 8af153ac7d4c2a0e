import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { IconFileExport, IconFileImport, IconTransfer } from "@tabler/icons-react";
import { useKeys } from "../keys.ts";
import { openExport, openImport } from "./exchange.ts";

const icon = { size: 15, stroke: 1.6 };

/** Key-frames of one clip out to files and in from them. */
export function ExchangeMenu({
  clip_id,
  settings_hash,
}: {
  clip_id: string;
  /** Of the selection on screen, where the server holds it. */
  settings_hash: string | undefined;
}) {
  const choice = settings_hash === undefined ? { clip_id } : { clip_id, settings_hash };
  useKeys("Key-frames in files", [
    { key: "shift+E", label: "Export key-frames", run: () => openExport([choice]) },
    { key: "shift+I", label: "Import key-frames", run: () => openImport(choice) },
  ]);
  return (
    <Menu position="bottom-end" width={220}>
      <Tooltip label="Export and import">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="Export and import key-frames">
            <IconTransfer size={16} stroke={1.7} />
          </ActionIcon>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconFileExport {...icon} />}
          rightSection="⇧E"
          onClick={() => openExport([choice])}
        >
          Export key-frames…
        </Menu.Item>
        <Menu.Item
          leftSection={<IconFileImport {...icon} />}
          rightSection="⇧I"
          onClick={() => openImport(choice)}
        >
          Import key-frames…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
