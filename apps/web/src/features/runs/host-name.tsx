import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { trpc } from "../../app/clients.ts";

/** What people call a host; its id while the hosts are not read yet, or where it was detached. */
export function useHostName(): (host_id: string) => string {
  const hosts = useQuery(trpc.hosts.list.queryOptions()).data;
  return useCallback(
    (host_id) =>
      host_id === "local" ? "this machine" : (hosts?.find((one) => one.host_id === host_id)?.name ?? host_id),
    [hosts],
  );
}

export function HostName({ host_id }: { host_id: string }) {
  return useHostName()(host_id);
}
