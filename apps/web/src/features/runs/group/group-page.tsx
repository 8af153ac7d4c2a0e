import { Button } from "@mantine/core";
import { EmptyState } from "@sightline/ui/empty-state";
import { GroupColumns } from "@sightline/ui/group-grid";
import { IconColumns3 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { trpc } from "../../../app/clients.ts";
import { usePageTitle } from "../../../app/page-title.ts";
import { TraceInspector } from "../../../app/trace/index.tsx";
import classes from "./group-page.module.css";
import { useGroupView } from "./use-group-view.ts";

/** The completions of one prompt side by side, or one of them in the inspector. */
export function GroupPage() {
  const view = useGroupView();
  const { run_id, step } = view;
  const found = useQuery({
    ...trpc.runs.completions.queryOptions({ run_id, step }),
    enabled: Number.isInteger(step),
  });
  const group = found.data?.find(
    ({ attempt, group_id }) => attempt === view.attempt && group_id === view.group_id,
  );
  usePageTitle("Runs", group ? `${group.question_id} at step ${step}` : null);
  if (found.isLoading) return <p className={classes.waiting}>Reading the group …</p>;
  if (!group)
    return (
      <EmptyState
        icon={<IconColumns3 size={28} stroke={1.4} />}
        title="This group cannot be shown"
        actions={
          <Button component={Link} to={`/runs/${run_id}`} variant="default" size="xs">
            The run
          </Button>
        }
      >
        {found.error?.message ??
          `Attempt ${view.attempt} kept no group of this name at step ${view.step}. Open the run and pick a group there.`}
      </EmptyState>
    );
  const opened = group.completions.find(({ k }) => k === view.k) ?? null;
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <Link
          to="/runs/$runId"
          params={{ runId: run_id }}
          search={{ step, group: group.group_id, tab: "groups" }}
        >
          Step {step}
        </Link>
        <span>{group.question_id}</span>
      </header>
      {opened ? (
        <TraceInspector trace={{ text: opened.text, prompt: group.prompt, completion: opened }} />
      ) : (
        <GroupColumns group={group} />
      )}
    </div>
  );
}
