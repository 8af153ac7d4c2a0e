import { Code, Skeleton } from "@mantine/core";
import { IconFolder } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../app/clients.ts";
import classes from "./settings.module.css";

/** The folders that the owner listed. */
export function Folders() {
  const folders = useQuery(trpc.clips.folders.queryOptions());
  if (folders.isPending) return <Skeleton height={20} width={220} />;
  if (folders.isError) return <p className={classes.problem}>{folders.error.message}</p>;
  return (
    <>
      {folders.data.length > 0 && (
        <ul className={classes.folders}>
          {folders.data.map(({ folder_id, path }) => (
            <li key={folder_id}>
              <IconFolder size={15} stroke={1.6} aria-hidden />
              <span className={classes.path}>{path}</span>
            </li>
          ))}
        </ul>
      )}
      <p className={classes.hint}>
        {folders.data.length === 0 ? "None yet. " : ""}List folders when starting Sightline, with a colon
        between them:
      </p>
      <Code block>SIGHTLINE_FOLDERS=/videos:/datasets/vsi npm start</Code>
    </>
  );
}
