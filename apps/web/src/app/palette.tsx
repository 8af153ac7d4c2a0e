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
import { type Ref, useEffect, useMemo, useRef, useState } from "react";
import { askForBatch } from "./batches/start-batch.tsx";
import { trpc } from "./clients.ts";
import { useClips } from "./clips.ts";
import { colorSchemes } from "./color-scheme-switch.tsx";
import { pressKey } from "./hold-typing.ts";
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
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      // On closing, not on opening: who types at once must not lose the first letters.
      onSpotlightClose={() => setQuery("")}
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
      <Finder query={query} />
    </Spotlight.Root>
  );
}

function Finder({ query }: { query: string }) {
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  /** Enter was pressed while what it is to open was still on its way. */
  const isAwaited = useRef(false);
  const { entries, isLoading } = useEntries();
  const found = useMemo(() => search(entries, query), [entries, query]);
  const hasChosen = () => Boolean(list.current?.querySelector("[data-selected]"));

  useEffect(() => {
    if (query === "") return;
    // Spotlight itself chooses among what is there when a letter is typed, after this effect; the rest comes later.
    queueMicrotask(() => {
      const isWanted = isAwaited.current;
      if (found.length > 0 && !hasChosen()) pressKey(field.current, "ArrowDown");
      if (isWanted) pressKey(field.current, "Enter");
    });
  });

  return (
    <>
      <Spotlight.Search
        ref={field}
        autoFocus
        placeholder="Find a page, a clip, a run, a command"
        aria-label="Search"
        leftSection={<IconSearch size={16} stroke={1.7} />}
        onKeyDown={({ key }) => {
          isAwaited.current = key === "Enter" && isLoading && !hasChosen();
        }}
      />
      <Results ref={list} query={query} found={found} />
    </>
  );
}

function Results({
  ref,
  query,
  found,
}: {
  ref: Ref<HTMLDivElement>;
  query: string;
  found: readonly Found[];
}) {
  return (
    <Spotlight.ActionsList ref={ref}>
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

/** All that can be found, and whether some of it is still on its way. */
function useEntries(): { entries: Found[]; isLoading: boolean } {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const clips = useClips({ trash: false });
  const sets = useQuery(trpc.questions.sets.queryOptions({ trash: false }));
  const runs = useQuery(trpc.runs.list.queryOptions({ trash: false }));
  const hosts = useQuery(trpc.hosts.list.queryOptions());
  const entries = useMemo(
    () => [
      ...places.map(
        ({ to, label }): Found => ({
          key: to,
          group: "Go to",
          label,
          run: () => void navigate({ to }),
        }),
      ),
      ...(clips.data ?? []).map(
        ({ clip_id, name, tags, duration_secs }): Found => ({
          key: clip_id,
          group: "Clips",
          label: name,
          words: tags.join(" "),
          detail: duration_secs === null ? undefined : formatClock(duration_secs),
          run: () => void navigate({ to: "/clips/$clipId", params: { clipId: clip_id } }),
        }),
      ),
      ...(sets.data ?? []).map(
        ({ set_id, name, format, questions }): Found => ({
          key: set_id,
          group: "Questions",
          label: name,
          words: format,
          detail: formatNumberOf(questions, "question"),
          run: () => void navigate({ to: "/questions/$setId", params: { setId: set_id } }),
        }),
      ),
      ...(runs.data ?? []).map(
        ({ run_id, name, state, preset }): Found => ({
          key: run_id,
          group: "Runs",
          label: name,
          words: `${preset} ${run_id}`,
          detail: state,
          run: () => void navigate({ to: "/runs/$runId", params: { runId: run_id } }),
        }),
      ),
      ...(hosts.data ?? []).map(
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
    [clips.data, sets.data, runs.data, hosts.data, navigate, setColorScheme],
  );
  return { entries, isLoading: [clips, sets, runs, hosts].some((list) => list.isLoading) };
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
