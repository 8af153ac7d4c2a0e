import { Button, NumberInput, TextInput } from "@mantine/core";
import type { RunPreset } from "@sightline/core/runs";
import { EmptyState } from "@sightline/ui/empty-state";
import { Pane, PaneGroup } from "@sightline/ui/pane";
import { ScheduleEditor } from "@sightline/ui/schedule-editor";
import { IconRocket } from "@tabler/icons-react";
import { skipToken, useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, type KeyboardEvent, useEffect, useState } from "react";
import { client, trpc } from "../../../app/clients.ts";
import { useKeys } from "../../../app/keys.ts";
import { notifyFailure } from "../../../app/notify.tsx";
import { usePageTitle } from "../../../app/page-title.ts";
import { useRuns } from "../follow-list.ts";
import { ChoosePreset } from "./choose-preset.tsx";
import { CompareSchedule } from "./compare-schedule.tsx";
import { DataAndModel, type FileReport } from "./data-and-model.tsx";
import { ForkNote, useForkDraft } from "./fork-note.tsx";
import { getLaunchKey } from "./launch-key.ts";
import classes from "./launch-page.module.css";
import {
  checkDraft,
  type Draft,
  getMaxRetries,
  getStageSettings,
  getStepsPerEpoch,
  toSpec,
} from "./preflight.ts";
import { PreflightPanel } from "./preflight-panel.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { checkSweep, countRuns, estimate, listSchedules, parseSeeds } from "./sweep.ts";
import { SweepForm } from "./sweep-form.tsx";
import { TrainerState, useTrainingChecks } from "./training-state.tsx";
import { toDraft, useDraft } from "./use-draft.ts";

const route = getRouteApi("/runs/launch");

/** A new run: what it is, its schedule, and whether it can start. */
export function LaunchPage() {
  usePageTitle("Runs", "Launch");
  const draft_key = useDraftKey();
  const presets = useQuery({ ...trpc.runs.presets.queryOptions(), staleTime: Number.POSITIVE_INFINITY });
  const { preset } = route.useSearch();
  const forked = useForkDraft();
  const first = presets.data?.find((one) => one.preset === preset) ?? presets.data?.[0];
  if (forked.isError)
    return <EmptyState title="The run to fork cannot be read">{forked.error.message}</EmptyState>;
  if (forked.isPending) return <p className={classes.waiting}>Reading the run to fork …</p>;
  if (presets.isError)
    return <EmptyState title="The presets cannot be read">{presets.error.message}</EmptyState>;
  if (presets.data === undefined) return <p className={classes.waiting}>Reading the presets …</p>;
  if (first === undefined) return <EmptyState title="There is no preset to start from" />;
  if (draft_key === undefined) return null;
  return (
    <LaunchForm
      key={draft_key}
      draft_key={draft_key}
      presets={presets.data}
      first={forked.draft ?? toDraft(first, 1)}
    />
  );
}

/** The draft's name; the URL gets one when it has none, so that a second tab of this URL is the same draft. */
function useDraftKey(): string | undefined {
  const { draft } = route.useSearch();
  const navigate = useNavigate({ from: "/runs/launch" });
  useEffect(() => {
    if (draft === undefined)
      void navigate({ search: (now) => ({ ...now, draft: crypto.randomUUID() }), replace: true });
  }, [draft, navigate]);
  return draft;
}

/** Names of the rewards in the draft's own file; none without one, and where it lies on a host. */
function useRewardNames(reward_file: unknown): readonly string[] {
  const isSet = typeof reward_file === "string" && reward_file !== "";
  const names = useQuery(trpc.training.rewardNames.queryOptions(isSet ? { reward_file } : skipToken));
  return isSet ? (names.data ?? []) : [];
}

function LaunchForm({
  draft_key,
  presets,
  first,
}: {
  draft_key: string;
  presets: readonly RunPreset[];
  first: Draft;
}) {
  const form = useDraft(first, draft_key);
  const { draft } = form;
  const hosts = useQuery(trpc.hosts.list.queryOptions()).data;
  const runs = useRuns();
  const wanted = draft.sweep ? draft.sweep.host_ids : [draft.host_id];
  const chosen = hosts?.filter(({ host_id }) => wanted.includes(host_id));
  const [report, setReport] = useState<FileReport | null>(null);
  const questions = report?.questions ?? null;
  const names = runs.data?.map((run) => run.name) ?? [];
  const training = useTrainingChecks(draft);
  const own_rewards = useRewardNames(draft.settings.reward_file);
  const sweep = draft.sweep ?? null;
  const paces = useQuery({
    ...trpc.runs.paces.queryOptions({ preset: draft.preset, host_ids: sweep?.host_ids ?? [] }),
    enabled: sweep !== null && sweep.host_ids.length > 0,
  }).data;
  const costs = sweep && estimate(draft, sweep, { hosts: hosts ?? [], paces: paces ?? [], questions });
  const checks = [
    ...(sweep && costs ? checkSweep(draft, sweep, costs) : []),
    ...checkDraft(draft, { hosts: chosen, names, questions }),
    ...training,
  ];
  const canStart = checks.every((check) => check.verdict !== "wrong");
  const launch = useLaunch(draft_key);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (canStart) launch.start(draft);
  };
  useKeys("Launch", [
    { key: "Enter", label: "Launch", run: () => submit() },
    { key: "mod+Enter", label: "Launch, wherever the focus is", run: () => submit(), isEverywhere: true },
    { key: "ArrowLeft ArrowRight", label: "Go from stage to stage, or move a border" },
    { key: "alt+ArrowLeft alt+ArrowRight", label: "Move a stage" },
    { key: "s", label: "Split the stage that has the focus" },
    { key: "mod+Z mod+shift+Z", label: "Undo a change of the schedule, and do it again" },
  ]);
  return (
    <form className={classes.page} onSubmit={submit} onKeyDown={keepEnterOfLists} aria-label="Launch a run">
      <PaneGroup id="launch" stacks_below={900}>
        <Pane id="what" size={24} min={210}>
          <div className={classes.column}>
            {sweep === null && (
              <Hosts
                hosts={(hosts ?? []).filter((one) => !draft.fork || one.host_id === draft.host_id)}
                chosen={draft.host_id}
                onChoose={(host_id) => form.change({ host_id })}
              />
            )}
            {!draft.fork && <ChoosePreset presets={presets} chosen={draft.preset} onChoose={form.take} />}
            <DataAndModel draft={draft} report={report} onReport={setReport} onSet={form.setSetting} />
          </div>
        </Pane>
        <Pane id="schedule" size={50} min={380}>
          <div className={classes.column}>
            <div className={classes.identity}>
              <TextInput
                label="Name"
                size="xs"
                value={draft.name}
                onChange={(event) => form.change({ name: event.currentTarget.value })}
              />
              <NumberInput
                label="Seed"
                size="xs"
                disabled={sweep !== null}
                min={0}
                max={2 ** 31 - 1}
                allowDecimal={false}
                value={draft.seed}
                onChange={(value) => {
                  if (typeof value === "number") form.change({ seed: value });
                }}
              />
            </div>
            {draft.fork ? (
              <ForkNote draft={draft} fork={draft.fork} onChange={(fork) => form.change({ fork })} />
            ) : (
              <SweepForm
                draft={draft}
                hosts={hosts ?? []}
                onChange={(sweep) => form.change({ sweep, name: draft.name.replace(/ · seed \d+$/, "") })}
              />
            )}
            <ScheduleEditor
              history={form.history}
              steps_per_epoch={getStepsPerEpoch(draft, questions)}
              own_rewards={own_rewards}
              settings={getStageSettings(draft)}
              onChange={form.setHistory}
            />
            <CompareSchedule history={form.history} onChange={form.setHistory} />
            <SettingsForm
              draft={draft}
              onSet={form.setSetting}
              onRetries={(max_retries) => form.change({ max_retries })}
            />
          </div>
        </Pane>
        <Pane id="preflight" size={26} min={230}>
          <div className={classes.column}>
            <PreflightPanel
              draft={draft}
              checks={checks}
              questions={questions}
              host_name={chosen?.map(({ name }) => name).join(", ") || wanted.join(", ")}
              onFix={form.setSetting}
            />
            {draft.engine !== "simulator" && <TrainerState />}
            <div className={classes.launch}>
              <Button
                type="submit"
                fullWidth
                disabled={!canStart}
                loading={launch.isPending}
                leftSection={<IconRocket size={16} stroke={1.7} />}
              >
                {nameLaunch(draft)}
              </Button>
            </div>
          </div>
        </Pane>
      </PaneGroup>
    </form>
  );
}

/** Who presses Enter on a list wants to choose from it, and the browser would submit the form. */
function keepEnterOfLists(event: KeyboardEvent<HTMLFormElement>) {
  if (event.key === "Enter" && event.target instanceof HTMLElement && event.target.role === "combobox")
    event.preventDefault();
}

function nameLaunch({ sweep, engine, fork }: Draft): string {
  if (sweep) return `Launch ${countRuns(sweep)} runs`;
  if (fork) return "Launch the fork";
  return engine === "simulator" ? "Launch the simulation" : "Launch";
}

/** Launches once however often it is asked, from this tab or from another one of the same draft. */
function useLaunch(draft_key: string) {
  const navigate = useNavigate();
  const mutation = useMutation({
    mutationFn: async (draft: Draft) => {
      const launch_key = getLaunchKey(draft_key, draft);
      const max_retries = getMaxRetries(draft);
      const spec = toSpec(draft);
      const { sweep } = draft;
      if (!sweep) {
        const { host_id, fork = null } = draft;
        return client.runs.launch.mutate({ ...spec, host_id, launch_key, max_retries, fork });
      }
      const { seed: _, stages: __, ...rest } = spec;
      return client.runs.launchSweep.mutate({
        ...rest,
        launch_key,
        max_retries,
        schedules: listSchedules(draft, sweep),
        seeds: parseSeeds(sweep.seeds) ?? [],
        host_ids: sweep.host_ids,
        is_spread: sweep.is_spread,
      });
    },
    onSuccess: (launched) =>
      void ("sweep_id" in launched
        ? navigate({ to: "/runs/sweeps/$sweepId", params: { sweepId: launched.sweep_id } })
        : navigate({ to: "/runs/$runId", params: { runId: launched.run_id } })),
    onError: (error) => notifyFailure("Could not launch the run", error),
  });
  return {
    isPending: mutation.isPending,
    start: (draft: Draft) => {
      if (!mutation.isPending) mutation.mutate(draft);
    },
  };
}

function Hosts({
  hosts,
  chosen,
  onChoose,
}: {
  hosts: readonly { host_id: string; name: string; state: string; executor: string }[];
  chosen: string;
  onChoose: (host_id: string) => void;
}) {
  return (
    <section aria-label="Host">
      <h2 className={classes.heading}>Host</h2>
      {hosts.length === 0 && (
        <p className={classes.quiet}>
          No host is attached. <Link to="/hosts">Hosts</Link>
        </p>
      )}
      {hosts.map((host) => (
        <label key={host.host_id} className={classes.host} data-chosen={host.host_id === chosen || undefined}>
          <input
            type="radio"
            name="host"
            value={host.host_id}
            checked={host.host_id === chosen}
            onChange={() => onChoose(host.host_id)}
          />
          <span>{host.name}</span>
          <span className={classes.quiet}>{host.state}</span>
        </label>
      ))}
    </section>
  );
}
