import { Button, Tabs } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useAlerts } from "../../app/alerts.ts";
import { useKeys } from "../../app/keys.ts";
import { usePageTitle } from "../../app/page-title.ts";
import { AlertList } from "./alert-list.tsx";
import classes from "./alerts.module.css";
import { Receivers } from "./receivers.tsx";
import { Rules } from "./rules.tsx";

const route = getRouteApi("/alerts");

export { RulePage } from "./rule-page.tsx";

/** What rules found in runs, the rules, and who is told. */
export function AlertsPage() {
  usePageTitle("Runs", "Alerts");
  const { tab = "alerts" } = route.useSearch();
  const navigate = useNavigate({ from: "/alerts" });
  const now = useAlerts();
  const openRule = () => void navigate({ to: "/alerts/rules/$ruleId", params: { ruleId: "new" } });
  useKeys("Alerts", [{ key: "n", label: "Make a rule", run: openRule }]);
  return (
    <Tabs
      className={classes.page}
      value={tab}
      onChange={(next) =>
        void navigate({ search: { tab: next === "rules" || next === "receivers" ? next : undefined } })
      }
    >
      <header className={classes.bar}>
        <h1 className={classes.title}>Alerts</h1>
        <Tabs.List className={classes.tabs}>
          <Tabs.Tab value="alerts">{now && now.unseen > 0 ? `Alerts, ${now.unseen} new` : "Alerts"}</Tabs.Tab>
          <Tabs.Tab value="rules">Rules</Tabs.Tab>
          <Tabs.Tab value="receivers">Receivers</Tabs.Tab>
        </Tabs.List>
        <Button size="xs" ml="auto" leftSection={<IconPlus size={14} stroke={1.9} />} onClick={openRule}>
          Make a rule
        </Button>
      </header>
      <div className={classes.body}>
        <Tabs.Panel value="alerts">{tab === "alerts" && <AlertList now={now} />}</Tabs.Panel>
        <Tabs.Panel value="rules">{tab === "rules" && <Rules />}</Tabs.Panel>
        <Tabs.Panel value="receivers">{tab === "receivers" && <Receivers />}</Tabs.Panel>
      </div>
    </Tabs>
  );
}
