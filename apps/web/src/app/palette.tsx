import { useMantineColorScheme } from "@mantine/core";
import { Spotlight } from "@mantine/spotlight";
import { formatClock, formatNumberOf } from "@sightline/core/format";
import {
  IconChartLine,
  IconChevronRight,
  IconCommand,
  IconHelpCircle,
  IconMovie,
  IconSearch,
  IconServer2,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { askForBatch } from "./batches/start-batch.tsx";
import { trpc } from "./clients.ts";
import { useClips } from "./clips.ts";
import { colorSchemes } from "./color-scheme-switch.tsx";
import { showKeys } from "./keys-help.tsx";
import classes from "./palette.module.css";
import { places } from "./places.ts";
import { type Found, search } from "./search.ts";
import { pickFiles } from "./uploads.ts";

const GROUPS = ["Go to", "Clips", "Questions", "Runs", "Hosts", "Commands"] as const;

const ICONS = {
  "Go to": IconChevronRight,
  Clips: IconMovie,
  Questions: IconHelpCircle,
  Runs: IconChartLine,
  Hosts: IconServer2,
  Commands: IconCommand,
};

/** ⌘K: finds any page, clip, set of questions, run or command. */
export function Palette() {
  const [query, setQuery] = useState("");
  const [isOpen, setOpen] = useState(false);
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      onSpotlightOpen={() => setOpen(true)}
      onSpotlightClose={() => {
        // On closing, not on opening: who types at once must not lose the first letters.
        setQuery("");
        setOpen(false);
      }}
      clearQueryOnClose={false}
      attributes={{ content: { "aria-label": "Search" } }}
      shortcut={null}
      scrollable
      maxHeight={440}
      transitionProps={{ duration: 80 }}
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      classNames={{
        action: classes.action,
        actionLabel: classes.label,
        actionsGroup: classes.group,
        search: classes.search,
      }}
    >
      <Spotlight.Search
        autoFocus
        placeholder="Find a page, a clip, a run, a command"
        aria-label="Search"
        leftSection={<IconSearch size={16} stroke={1.7} />}
      />
      {isOpen && <Results query={query} />}
    </Spotlight.Root>
  );
}

function Results({ query }: { query: string }) {
  const entries = useEntries();
  const found = search(entries, query);
  return (
    <Spotlight.ActionsList>
      {found.length === 0 && <Spotlight.Empty>Nothing is called “{query}”</Spotlight.Empty>}
      {GROUPS.map((group) => {
        const members = found.filter((entry) => entry.group === group);
        if (members.length === 0) return null;
        const Icon = ICONS[group];
        return (
          <Spotlight.ActionsGroup key={group} label={group}>
            {members.map(({ key, label, detail, run }) => (
              <Spotlight.Action
                key={key}
                onClick={run}
                label={label}
                leftSection={<Icon size={15} stroke={1.6} />}
                rightSection={
                  detail === undefined ? undefined : <span className={classes.detail}>{detail}</span>
                }
              />
            ))}
          </Spotlight.ActionsGroup>
        );
      })}
    </Spotlight.ActionsList>
  );
}

function useEntries(): Found[] {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const clips = useClips({ trash: false }).data;
  const sets = useQuery(trpc.questions.sets.queryOptions({ trash: false })).data;
  const runs = useQuery(trpc.runs.list.queryOptions({ trash: false })).data;
  const hosts = useQuery(trpc.hosts.list.queryOptions()).data;
  return useMemo(
    () => [
      ...places.map(
        ({ to, label }): Found => ({
          key: to,
          group: "Go to",
          label,
          run: () => void navigate({ to }),
        }),
      ),
      ...(clips ?? []).map(
        ({ clip_id, name, tags, duration_secs }): Found => ({
          key: clip_id,
          group: "Clips",
          label: name,
          words: tags.join(" "),
          detail: duration_secs === null ? undefined : formatClock(duration_secs),
          run: () => void navigate({ to: "/clips/$clipId", params: { clipId: clip_id } }),
        }),
      ),
      ...(sets ?? []).map(
        ({ set_id, name, format, questions }): Found => ({
          key: set_id,
          group: "Questions",
          label: name,
          words: format,
          detail: formatNumberOf(questions, "question"),
          run: () => void navigate({ to: "/questions/$setId", params: { setId: set_id } }),
        }),
      ),
      ...(runs ?? []).map(
        ({ run_id, name, state, preset }): Found => ({
          key: run_id,
          group: "Runs",
          label: name,
          words: `${preset} ${run_id}`,
          detail: state,
          run: () => void navigate({ to: "/runs/$runId", params: { runId: run_id } }),
        }),
      ),
      ...(hosts ?? []).map(
        ({ host_id, name, address, state }): Found => ({
          key: host_id,
          group: "Hosts",
          label: name,
          words: address ?? "",
          detail: state,
          run: () => void navigate({ to: "/hosts/$hostId", params: { hostId: host_id } }),
        }),
      ),
      ...getCommands({
        addClips: () => pickFiles(() => void navigate({ to: "/library" })),
        launch: () => void navigate({ to: "/runs/launch" }),
        attach: () => void navigate({ to: "/hosts/attach" }),
        openBatches: () => void navigate({ to: "/batches" }),
        openTrash: () => void navigate({ to: "/library", search: { trash: true } }),
        setColorScheme,
      }),
    ],
    [clips, sets, runs, hosts, navigate, setColorScheme],
  );
}

function getCommands(act: {
  addClips: () => void;
  launch: () => void;
  attach: () => void;
  openBatches: () => void;
  openTrash: () => void;
  setColorScheme: (scheme: "auto" | "light" | "dark") => void;
}): Found[] {
  const command = (label: string, words: string, run: () => void): Found => ({
    key: label,
    group: "Commands",
    label,
    words,
    run,
  });
  return [
    command("Add clips…", "upload import video file", act.addClips),
    command("Launch a run…", "train start experiment new", act.launch),
    command("Key-frames of many clips…", "batch folder data set extract start", () => askForBatch()),
    command("Batches of key-frames", "progress report failed", act.openBatches),
    command("Attach a host…", "ssh machine gpu add", act.attach),
    command("Open the trash", "deleted restore", act.openTrash),
    command("Show the keys of this page", "keyboard shortcuts help ?", showKeys),
    ...colorSchemes.map(({ value, label }) =>
      command(`Colour scheme: ${label.toLowerCase()}`, "theme mode color", () => act.setColorScheme(value)),
    ),
  ];
}
