import { Code, UnstyledButton } from "@mantine/core";
import { formatNumberOf } from "@sightline/core/format";
import { IconFolder } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { trpc } from "../clients.ts";
import classes from "./start-batch.module.css";

/** A listed folder of the server, or one in it; `path` is relative and may be empty. */
export type PickedFolder = { folder_id: string; name: string; path: string };

/** Goes through the folders that the owner of the server has listed; where one stands is what is picked. */
export function FolderPicker({
  folder,
  onPick,
}: {
  folder: PickedFolder | null;
  onPick(folder: PickedFolder): void;
}) {
  const folders = useQuery(trpc.clips.folders.queryOptions());
  const [first] = folders.data ?? [];
  useEffect(() => {
    if (folder === null && first !== undefined) onPick({ ...first, path: "" });
  }, [folder, first, onPick]);
  const entries = useQuery({
    ...trpc.clips.browse.queryOptions({ folder_id: folder?.folder_id ?? "", path: folder?.path ?? "" }),
    enabled: folder !== null,
  });
  if (folders.isError) return <p className={classes.problem}>{folders.error.message}</p>;
  if (folders.data?.length === 0) {
    return (
      <p className={classes.hint}>
        No folder is open yet: only those that the server's owner lists are. Start it with one:{" "}
        <Code>npm start -- --folder DIR</Code>
      </p>
    );
  }
  if (folder === null) return <p className={classes.hint}>Looking …</p>;
  const parts = folder.path === "" ? [] : folder.path.split("/");
  const inner = (entries.data ?? []).filter(({ kind }) => kind === "folder");
  const files = (entries.data ?? []).length - inner.length;
  return (
    <section className={classes.picker} aria-label="Folder">
      <div className={classes.crumbs}>
        {folders.data !== undefined && folders.data.length > 1 && parts.length === 0 ? (
          folders.data.map((one) => (
            <UnstyledButton
              key={one.folder_id}
              className={classes.crumb}
              aria-current={one.folder_id === folder.folder_id || undefined}
              title={one.path}
              onClick={() => onPick({ ...one, path: "" })}
            >
              {one.name}
            </UnstyledButton>
          ))
        ) : (
          <UnstyledButton
            className={classes.crumb}
            aria-current={parts.length === 0 || undefined}
            onClick={() => onPick({ ...folder, path: "" })}
          >
            {folder.name}
          </UnstyledButton>
        )}
        {parts.map((part, at) => {
          const path = parts.slice(0, at + 1).join("/");
          return (
            <span key={path}>
              /
              <UnstyledButton
                className={classes.crumb}
                aria-current={path === folder.path || undefined}
                onClick={() => onPick({ ...folder, path })}
              >
                {part}
              </UnstyledButton>
            </span>
          );
        })}
      </div>
      <ul className={classes.folders}>
        {entries.isError && <li className={classes.problem}>{entries.error.message}</li>}
        {inner.map(({ name, path }) => (
          <li key={path}>
            <UnstyledButton className={classes.folder} onClick={() => onPick({ ...folder, path })}>
              <IconFolder size={15} stroke={1.6} />
              {name}
            </UnstyledButton>
          </li>
        ))}
        {entries.data !== undefined && (
          <li className={classes.none}>
            {formatNumberOf(files, "video")} here{inner.length > 0 && ", and what is in these folders"}
          </li>
        )}
      </ul>
    </section>
  );
}
