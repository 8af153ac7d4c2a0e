import { ActionIcon, Menu } from "@mantine/core";
import type { HostSummary } from "@sightline/core/hosts";
import {
  IconDotsVertical,
  IconEye,
  IconPencil,
  IconPlugConnectedX,
  IconStethoscope,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { detach } from "./commands.ts";

const ICON = { size: 15, stroke: 1.6 };

/** What can be done with one host. */
export function HostMenu({ host }: { host: HostSummary }) {
  const navigate = useNavigate();
  const open = (act?: "rename" | "watch") =>
    void navigate({ to: "/hosts/$hostId", params: { hostId: host.host_id }, search: { act } });
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon size={24} aria-label={`What to do with ${host.name}`}>
          <IconDotsVertical size={15} stroke={1.8} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconStethoscope {...ICON} />} onClick={() => open()}>
          Look at everything
        </Menu.Item>
        <Menu.Item leftSection={<IconEye {...ICON} />} onClick={() => open("watch")}>
          Watch a run there…
        </Menu.Item>
        <Menu.Item leftSection={<IconPencil {...ICON} />} onClick={() => open("rename")}>
          Rename
        </Menu.Item>
        {host.executor !== "local" && (
          <>
            <Menu.Divider />
            <Menu.Item leftSection={<IconPlugConnectedX {...ICON} />} onClick={() => void detach(host)}>
              Detach
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
