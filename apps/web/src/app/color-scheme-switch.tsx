import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from "@tabler/icons-react";

/** The colour schemes that a person may choose from. */
export const colorSchemes = [
  { value: "auto", label: "As the system", Icon: IconDeviceDesktop },
  { value: "light", label: "Light", Icon: IconSun },
  { value: "dark", label: "Dark", Icon: IconMoon },
] as const;

export function ColorSchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { Icon } = colorSchemes.find(({ value }) => value === colorScheme) ?? colorSchemes[0];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label="Colour scheme" title="Colour scheme">
          <Icon size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {colorSchemes.map(({ value, label, Icon: ItemIcon }) => (
          <Menu.Item
            key={value}
            leftSection={<ItemIcon size={15} stroke={1.6} />}
            rightSection={value === colorScheme ? <IconCheck size={14} /> : null}
            aria-current={value === colorScheme || undefined}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
