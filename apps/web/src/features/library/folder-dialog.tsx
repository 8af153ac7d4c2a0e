import {
  Anchor,
  Breadcrumbs,
  Button,
  Checkbox,
  Code,
  Group,
  Loader,
  Modal,
  ScrollArea,
  UnstyledButton,
} from "@mantine/core";
import { formatBytes, formatNumberOf } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconFolder, IconMovie } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import { addFromFolder } from "../../app/uploads.ts";
import classes from "./folder-dialog.module.css";

type Folder = { folder_id: string; path: string; name: string };
type Chosen = { name: string; path: string; bytes: number };

/** Adds clips from folders that the owner of the server has listed. */
export function FolderDialog({ onClose }: { onClose: () => void }) {
  const folders = useQuery(trpc.clips.folders.queryOptions());
  return (
    <Modal
      opened
      onClose={onClose}
      title="Add from a folder of the server"
      size="lg"
      padding={0}
      classNames={{ header: classes.header }}
    >
      {folders.isPending ? (
        <Loader size="sm" m="xl" />
      ) : folders.isError ? (
        <EmptyState title="The folders could not be listed">{folders.error.message}</EmptyState>
      ) : folders.data.length === 0 ? (
        <NoFolders />
      ) : (
        <Browser folders={folders.data} onClose={onClose} />
      )}
    </Modal>
  );
}

function NoFolders() {
  return (
    <EmptyState icon={<IconFolder size={30} stroke={1.4} />} title="No folder is open to the library yet">
      For safety only folders that the server's owner has listed can be browsed. List them when starting
      Sightline, several with a colon between:
      <Code block mt="sm" ta="left">
        SIGHTLINE_FOLDERS=/videos:/datasets/vsi npm start
      </Code>
    </EmptyState>
  );
}

function Browser({ folders, onClose }: { folders: readonly Folder[]; onClose: () => void }) {
  const [folder, setFolder] = useState(folders[0] ?? null);
  const [path, setPath] = useState("");
  const [chosen, setChosen] = useState<ReadonlyMap<string, Chosen>>(new Map());
  const entries = useQuery({
    ...trpc.clips.browse.queryOptions({ folder_id: folder?.folder_id ?? "", path }),
    enabled: folder !== null,
  });
  if (folder === null) return null;

  const files = (entries.data ?? []).flatMap(({ kind, name, path: at, bytes }) =>
    kind === "file" ? [{ name, path: at, bytes: bytes ?? 0 }] : [],
  );
  const isAll = files.length > 0 && files.every((file) => chosen.has(file.path));
  const choose = (these: readonly Chosen[], isWanted: boolean) => {
    const next = new Map(chosen);
    for (const file of these) {
      if (isWanted) next.set(file.path, file);
      else next.delete(file.path);
    }
    setChosen(next);
  };
  const parts = path === "" ? [] : path.split("/");
  return (
    <>
      <div className={classes.browser}>
        <ul className={classes.roots}>
          {folders.map((one) => (
            <li key={one.folder_id}>
              <UnstyledButton
                className={classes.root}
                data-active={one.folder_id === folder.folder_id || undefined}
                title={one.path}
                onClick={() => {
                  setFolder(one);
                  setPath("");
                  setChosen(new Map());
                }}
              >
                <IconFolder size={15} stroke={1.6} />
                <span>{one.name}</span>
              </UnstyledButton>
            </li>
          ))}
        </ul>
        <div className={classes.entries}>
          <div className={classes.crumbs}>
            <Breadcrumbs separatorMargin={5}>
              <Anchor component="button" type="button" inherit onClick={() => setPath("")}>
                {folder.name}
              </Anchor>
              {parts.map((part, index) => (
                <Anchor
                  key={parts.slice(0, index + 1).join("/")}
                  component="button"
                  type="button"
                  inherit
                  onClick={() => setPath(parts.slice(0, index + 1).join("/"))}
                >
                  {part}
                </Anchor>
              ))}
            </Breadcrumbs>
            {files.length > 0 && (
              <Checkbox
                label="All"
                checked={isAll}
                indeterminate={!isAll && files.some((file) => chosen.has(file.path))}
                onChange={() => choose(files, !isAll)}
              />
            )}
          </div>
          <ScrollArea h={340} type="auto">
            {entries.isPending && <Loader size="sm" m="md" />}
            {entries.isError && (
              <EmptyState title="This folder could not be read">{entries.error.message}</EmptyState>
            )}
            {entries.data?.length === 0 && <EmptyState title="No videos here" />}
            {(entries.data ?? [])
              .filter(({ kind }) => kind === "folder")
              .map((entry) => (
                <UnstyledButton
                  key={entry.path}
                  className={classes.entry}
                  onClick={() => setPath(entry.path)}
                >
                  <IconFolder size={16} stroke={1.5} />
                  <span className={classes.name}>{entry.name}</span>
                </UnstyledButton>
              ))}
            {files.map((file) => (
              // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside.
              <label key={file.path} className={classes.entry}>
                <Checkbox
                  checked={chosen.has(file.path)}
                  onChange={(event) => choose([file], event.currentTarget.checked)}
                  aria-label={file.name}
                />
                <IconMovie size={16} stroke={1.5} />
                <span className={classes.name}>{file.name}</span>
                <span className={classes.bytes}>{formatBytes(file.bytes)}</span>
              </label>
            ))}
          </ScrollArea>
        </div>
      </div>
      <Group justify="space-between" className={classes.foot}>
        <span className={classes.bytes}>The files are copied; the folder stays as it is.</span>
        <Group gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={chosen.size === 0}
            onClick={() => {
              addFromFolder(folder.folder_id, [...chosen.values()]);
              onClose();
            }}
          >
            {chosen.size === 0 ? "Add" : `Add ${formatNumberOf(chosen.size, "clip")}`}
          </Button>
        </Group>
      </Group>
    </>
  );
}
