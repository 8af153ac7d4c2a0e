import { ActionIcon, Kbd, UnstyledButton } from "@mantine/core";
import { spotlight } from "@mantine/spotlight";
import { IconKeyboard, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "./clients.ts";
import { ColorSchemeSwitch } from "./color-scheme-switch.tsx";
import { getKeyLabels } from "./key-label.ts";
import { showKeys } from "./keys-help.tsx";
import { usePage } from "./page-title.ts";
import classes from "./top-bar.module.css";

/** Where one is, the search, and what concerns every page. */
export function TopBar() {
  const { place, thing } = usePage();
  const project = useQuery({ ...trpc.about.get.queryOptions(), staleTime: Number.POSITIVE_INFINITY }).data
    ?.project;
  return (
    <header className={classes.bar}>
      <div className={classes.where}>
        {project !== undefined && project !== "sightline" && (
          <>
            <span className={classes.place}>{project}</span>
            <span className={classes.slash}>/</span>
          </>
        )}
        <span className={thing === null ? classes.here : classes.place}>{place}</span>
        {thing !== null && (
          <>
            <span className={classes.slash}>/</span>
            <span className={classes.here} title={thing}>
              {thing}
            </span>
          </>
        )}
      </div>
      <UnstyledButton className={classes.search} onClick={spotlight.open}>
        <IconSearch size={14} stroke={1.8} aria-hidden />
        <span className={classes.searchText}>Find a clip, a run, a command</span>
        <span className={classes.searchKeys} aria-hidden>
          {getKeyLabels("mod+K").map((label) => (
            <Kbd key={label}>{label}</Kbd>
          ))}
        </span>
      </UnstyledButton>
      <div className={classes.tools}>
        <ActionIcon onClick={showKeys} aria-label="Keys of this page" title="Keys of this page (?)">
          <IconKeyboard size={17} stroke={1.6} />
        </ActionIcon>
        <ColorSchemeSwitch />
      </div>
    </header>
  );
}
