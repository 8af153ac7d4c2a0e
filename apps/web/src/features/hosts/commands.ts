import type { HostSummary } from "@sightline/core/hosts";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { notifyDone, notifyFailure, notifyUndoable } from "../../app/notify.tsx";

const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.hosts.list.queryKey() });

/** Takes a host off the list; it can be taken back. Nothing on the host is touched. */
export async function detach({ host_id, name }: HostSummary): Promise<boolean> {
  try {
    await client.hosts.detach.mutate({ host_id });
    await refresh();
    notifyUndoable(`Detached ${name}. Nothing there was touched.`, () => void restore(host_id, name));
    return true;
  } catch (error) {
    notifyFailure(`Could not detach ${name}`, error);
    return false;
  }
}

async function restore(host_id: string, name: string): Promise<void> {
  try {
    await client.hosts.restore.mutate({ host_id });
    await refresh();
    notifyDone(`Brought ${name} back.`);
  } catch (error) {
    notifyFailure(`Could not bring ${name} back`, error);
  }
}

export async function rename({ host_id, name: before }: HostSummary, name: string | null): Promise<void> {
  const wanted = name?.trim() ?? "";
  if (wanted === "" || wanted === before) return;
  try {
    await client.hosts.rename.mutate({ host_id, name: wanted });
    await refresh();
  } catch (error) {
    notifyFailure(`Could not rename ${before}`, error);
  }
}
