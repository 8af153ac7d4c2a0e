import { Button } from "@mantine/core";
import type { AlertRule } from "@sightline/core/alerts";
import { EmptyState } from "@sightline/ui/empty-state";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { client, trpc } from "../../app/clients.ts";
import { useKeys } from "../../app/keys.ts";
import { notifyDone, notifyFailure } from "../../app/notify.tsx";
import { usePageTitle } from "../../app/page-title.ts";
import classes from "./alerts.module.css";
import { BackTestPanel } from "./back-test.tsx";
import { RuleForm } from "./rule-form.tsx";
import { RuleHistory } from "./rule-history.tsx";
import { refreshRules } from "./rules.tsx";

const route = getRouteApi("/alerts/rules/$ruleId");
const NEW_RULE: AlertRule = {
  name: "Non-finite value",
  kind: "non_finite",
  params: {},
  scope: { kind: "all" },
  webhook_ids: [],
};

/** One rule: what it says, and on which past runs it would have fired. */
export function RulePage() {
  const { ruleId } = route.useParams();
  const { run } = route.useSearch();
  const rules = useQuery(trpc.alerts.rules.queryOptions());
  const standing = rules.data?.find(({ rule_id }) => rule_id === ruleId);
  usePageTitle("Alerts", ruleId === "new" ? "New rule" : (standing?.rule.name ?? null));
  if (rules.isPending) return <p className={classes.wait}>Reading the rule …</p>;
  if (ruleId !== "new" && standing === undefined)
    return (
      <EmptyState
        title="This rule is not there"
        actions={
          <Button
            size="xs"
            variant="default"
            renderRoot={(props) => <Link to="/alerts" search={{ tab: "rules" }} {...props} />}
          >
            All rules
          </Button>
        }
      >
        {rules.error?.message ?? "It was removed. Its history is kept."}
      </EmptyState>
    );
  const first =
    standing?.rule ?? (run ? { ...NEW_RULE, scope: { kind: "run" as const, run_id: run } } : NEW_RULE);
  return (
    <RuleEditor
      key={ruleId}
      rule_id={ruleId === "new" ? null : ruleId}
      entry_id={standing?.entry_id}
      first={first}
    />
  );
}

/** Who presses Enter on a list wants to choose from it, and the browser would submit the form. */
function keepEnterOfLists(event: KeyboardEvent<HTMLFormElement>) {
  const isPlain = event.key === "Enter" && !event.ctrlKey && !event.metaKey;
  if (isPlain && event.target instanceof HTMLElement && event.target.role === "combobox")
    event.preventDefault();
}

function RuleEditor({
  rule_id,
  entry_id,
  first,
}: {
  rule_id: string | null;
  /** Of what stands; undefined for a new rule. */
  entry_id: number | undefined;
  first: AlertRule;
}) {
  // What another tab saves is shown, but not in place of what is being written here.
  const [written, setWritten] = useState<{ rule: AlertRule; entry_id: number | undefined } | null>(null);
  const { rule, entry_id: seen_entry_id } = written ?? { rule: first, entry_id };
  const [isSaving, setSaving] = useState(false);
  const navigate = useNavigate();
  const isChanged = rule_id === null || JSON.stringify(rule) !== JSON.stringify(first);
  const save = async () => {
    setSaving(true);
    try {
      await client.alerts.save.mutate({ rule_id, rule, seen_entry_id });
      await refreshRules();
      notifyDone(`${rule.name} looks at runs from now on.`);
      await navigate({ to: "/alerts", search: { tab: "rules" } });
    } catch (error) {
      notifyFailure("The rule was not saved", error);
    } finally {
      setSaving(false);
    }
  };
  useKeys("Rule", [{ key: "mod+Enter", label: "Save the rule", run: () => void save(), isEverywhere: true }]);
  return (
    <div className={classes.editor}>
      <form
        className={classes.form}
        aria-label="Rule"
        onKeyDown={keepEnterOfLists}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <h1 className={classes.title}>{rule_id === null ? "New rule" : "Change a rule"}</h1>
        <RuleForm rule={rule} onChange={(next) => setWritten({ rule: next, entry_id: seen_entry_id })} />
        <div className={classes.actions}>
          <Button size="xs" type="submit" loading={isSaving} disabled={!isChanged}>
            Save the rule
          </Button>
          <Button
            size="xs"
            variant="default"
            renderRoot={(props) => <Link to="/alerts" search={{ tab: "rules" }} {...props} />}
          >
            All rules
          </Button>
        </div>
        {rule_id !== null && <RuleHistory rule_id={rule_id} onRestored={() => setWritten(null)} />}
      </form>
      <BackTestPanel rule={rule} />
    </div>
  );
}
