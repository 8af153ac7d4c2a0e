import { ActionIcon, CopyButton, Skeleton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../app/clients.ts";
import classes from "./settings.module.css";

/** Which Sightline this is, and where its data lies. */
export function About() {
  const about = useQuery(trpc.about.get.queryOptions());
  if (about.isPending) return <Skeleton height={90} />;
  if (about.isError) return <p className={classes.problem}>{about.error.message}</p>;
  const { version, node, hostname, data_dir } = about.data;
  const pairs = [
    ["Sightline", version],
    ["Server", `${hostname} · Node ${node.replace(/^v/, "")}`],
    ["Data folder", data_dir],
    ["Browser", getBrowser()],
  ] as const;
  return (
    <div className={classes.about}>
      <dl className={classes.pairs}>
        {pairs.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className={label === "Data folder" ? classes.path : undefined}>{value}</dd>
          </div>
        ))}
      </dl>
      <CopyButton value={pairs.map((pair) => pair.join(": ")).join("\n")}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? "Copied" : "Copy"}>
            <ActionIcon aria-label="Copy these facts" onClick={copy}>
              {copied ? <IconCheck size={15} /> : <IconCopy size={15} stroke={1.6} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </div>
  );
}

function getBrowser(): string {
  const match = /(Firefox|Edg|Chrome|Version)\/([\d.]+)/.exec(navigator.userAgent);
  const names: Record<string, string> = { Edg: "Edge", Version: "Safari" };
  const name = match?.[1] ?? "unknown";
  return `${names[name] ?? name} ${match?.[2] ?? ""}`.trim();
}
