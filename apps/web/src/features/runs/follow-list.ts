import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../app/clients.ts";

export { useRuns } from "../../app/runs.ts";

/** The runs in the trash. */
export function useTrashedRuns(isShown: boolean) {
  return useQuery({ ...trpc.runs.list.queryOptions({ trash: true }), enabled: isShown });
}
