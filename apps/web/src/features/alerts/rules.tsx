import { ActionIcon, Button, Menu } from "@mantine/core";
import {
  ALERT_KIND_NAMES,
  ALERT_KINDS,
  type AlertParam,
  type AlertRule,
  readParam,
  type StandingRule,
} from "@sightline/core/alerts";
import { formatAgo } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconDots, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { notifyFailure, notifyUndoable } from "../../app/notify.tsx";
import classes from "./alerts.module.css";

/** Has the rules and their histories read again. */
export async function refreshRules(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: trpc.alerts.history.queryKey() });
  await queryClient.invalidateQueries({ queryKey: trpc.alerts.rules.queryKey() });
}

/** The rules that stand. */
export function Rules() {
  const rules = useQuery(trpc.alerts.rules.queryOptions());
  if (rules.isPending) return <p className={classes.quiet}>Reading the rules …</p>;
  if (rules.isError)
    return (
      <EmptyState
        title="The rules could not be read"
        actions={<Button onClick={() => void rules.refetch()}>Try again</Button>}
      >
        {rules.error.message}
      </EmptyState>
    );
  if (rules.data.length === 0)
    return (
      <EmptyState
        title="No rule yet"
        actions={
          <Button size="xs" variant="default" onClick={() => void addDefaults()}>
            Add the six with their defaults
          </Button>
        }
      >
        A rule names a cause, such as a loss that is NaN or a judge that fails, and the runs that it looks at.
      </EmptyState>
    );
  return (
    <ul className={classes.rows} aria-label="Rules">
      {rules.data.map((rule) => (
        <RuleRow key={rule.rule_id} standing={rule} />
      ))}
    </ul>
  );
}

function RuleRow({ standing }: { standing: StandingRule }) {
  const { rule_id, rule, author, made_secs } = standing;
  const navigate = useNavigate();
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <Link to="/alerts/rules/$ruleId" params={{ ruleId: rule_id }} className={classes.name}>
          {rule.name}
        </Link>
        <span className={classes.quiet}>
          {rule.name !== ALERT_KINDS[rule.kind].title && `${ALERT_KINDS[rule.kind].title} · `}
          {describeScope(rule)} · {describeParams(rule)}
        </span>
      </div>
      <span className={classes.quiet}>
        {author}, {formatAgo(made_secs, Date.now() / 1000)}
      </span>
      <Menu position="bottom-end" width={150}>
        <Menu.Target>
          <ActionIcon size="sm" variant="subtle" color="gray" aria-label={`What to do with ${rule.name}`}>
            <IconDots size={15} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconPencil size={15} stroke={1.6} />}
            onClick={() => void navigate({ to: "/alerts/rules/$ruleId", params: { ruleId: rule_id } })}
          >
            Change
          </Menu.Item>
          <Menu.Item leftSection={<IconTrash size={15} stroke={1.6} />} onClick={() => void remove(standing)}>
            Remove
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}

async function remove({ rule_id, entry_id, rule }: StandingRule) {
  try {
    await client.alerts.remove.mutate({ rule_id });
    await refreshRules();
    notifyUndoable(
      `${rule.name} is gone.`,
      () =>
        void client.alerts.restore
          .mutate({ rule_id, entry_id })
          .then(refreshRules)
          .catch((error: unknown) => notifyFailure(`${rule.name} did not come back`, error)),
    );
  } catch (error) {
    notifyFailure(`${rule.name} stays`, error);
  }
}

async function addDefaults() {
  try {
    for (const kind of ALERT_KIND_NAMES)
      await client.alerts.save.mutate({
        rule_id: null,
        rule: { name: ALERT_KINDS[kind].title, kind, params: {}, scope: { kind: "all" }, webhook_ids: [] },
      });
  } catch (error) {
    notifyFailure("Not all rules were added", error);
  }
  await refreshRules();
}

function describeScope({ scope }: AlertRule): string {
  if (scope.kind === "all") return "all runs";
  return scope.kind === "preset" ? `runs of ${scope.preset}` : "one run";
}

export function describeParams(rule: AlertRule): string {
  const params: readonly AlertParam[] = ALERT_KINDS[rule.kind].params;
  return params
    .map(({ label, name, unit }) =>
      [label.toLowerCase(), readParam(rule, name), unit].filter((one) => one !== undefined).join(" "),
    )
    .join(", ");
}
