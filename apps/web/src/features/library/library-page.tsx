import { Button, Skeleton } from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import { formatBytes, formatClock, formatNumberOf } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconMovie, IconPlugConnectedX, IconSearch, IconTrash } from "@tabler/icons-react";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { askForBatch } from "../../app/batches/start-batch.tsx";
import { useClips } from "../../app/clips.ts";
import { openExport, openImport } from "../../app/exchange/exchange.ts";
import { useJobs } from "../../app/jobs.ts";
import { useKeys } from "../../app/keys.ts";
import { usePageTitle } from "../../app/page-title.ts";
import { pickFiles } from "../../app/uploads.ts";
import { arrangeClips, countTags, getFirstOrder, type Order, type Sort } from "./arrange.ts";
import type { ClipActions } from "./clip-actions.ts";
import { ClipList } from "./clip-list.tsx";
import { rename, restore, trash, undo } from "./commands.ts";
import { DropTarget } from "./drop-target.tsx";
import { EmptyTrashDialog } from "./empty-trash-dialog.tsx";
import { FolderDialog } from "./folder-dialog.tsx";
import classes from "./library-page.module.css";
import { ListHead } from "./list-head.tsx";
import { extend, getTargets, keepOnly, move, nothing, type Selection, toggle } from "./selection.ts";
import { TagsDialog } from "./tags-dialog.tsx";
import { SelectionBar, Toolbar } from "./toolbar.tsx";
import { UploadPanel } from "./upload-panel.tsx";

const route = getRouteApi("/library");

/** All clips of the library, or of its trash: to add, find, order, name, tag, throw away and bring back. */
export function LibraryPage() {
  const search = route.useSearch();
  const isTrash = search.trash === true;
  usePageTitle("Library", isTrash ? "Trash" : null);
  const clips = useClips({ trash: isTrash });
  return (
    <>
      {clips.isPending ? (
        <Waiting />
      ) : clips.isError ? (
        <EmptyState
          icon={<IconPlugConnectedX size={30} stroke={1.4} />}
          title="The library could not be read"
          actions={<Button onClick={() => void clips.refetch()}>Try again</Button>}
        >
          {clips.error.message}
        </EmptyState>
      ) : (
        <Clips key={String(isTrash)} all={clips.data} isTrash={isTrash} />
      )}
      <DropTarget />
    </>
  );
}

function Clips({ all, isTrash }: { all: readonly Clip[]; isTrash: boolean }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/library" });
  const jobs = useJobs();
  const { q = "", tag = null, sort = "added", order = getFirstOrder(sort), view = "grid" } = search;
  const arrangement = useMemo(() => ({ q, tag, sort, order }), [q, tag, sort, order]);
  const shown = useMemo(() => arrangeClips(all, arrangement), [all, arrangement]);
  const ids = useMemo(() => shown.map(({ clip_id }) => clip_id), [shown]);
  const tags = useMemo(() => countTags(all), [all]);

  const [chosen, setSelection] = useState<Selection>(nothing);
  const selection = keepOnly(chosen, ids);
  const [columns, setColumns] = useState(1);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [tagging, setTagging] = useState<readonly string[] | null>(null);
  const [isBrowsing, setBrowsing] = useState(false);
  const [isEmptying, setEmptying] = useState(false);
  const filter = useRef<HTMLInputElement>(null);

  const pick = (wanted: readonly string[]) => {
    const set = new Set(wanted);
    return shown.filter(({ clip_id }) => set.has(clip_id));
  };
  const targets = () => pick(getTargets(selection));
  const go = (change: Partial<typeof search>, isStep = false) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: !isStep });
  const sortBy = (nextSort: Sort, nextOrder: Order) =>
    go({
      sort: nextSort === "added" ? undefined : nextSort,
      order: nextOrder === getFirstOrder(nextSort) ? undefined : nextOrder,
    });
  const open = ({ clip_id }: Clip) =>
    void navigate({ to: "/clips/$clipId", params: { clipId: clip_id }, search: {} });
  const trashThese = (clips: readonly Clip[]) => {
    const [first] = clips;
    const gone = new Set(clips.map(({ clip_id }) => clip_id));
    const at = ids.indexOf(first?.clip_id ?? "");
    const next = ids.slice(at).find((id) => !gone.has(id)) ?? ids.findLast((id) => !gone.has(id)) ?? null;
    setSelection({ selected: new Set(), cursor: next, anchor: next });
    void trash(clips);
  };

  const actions: ClipActions = {
    click(clip, event) {
      if (event.shiftKey || event.ctrlKey || event.metaKey) {
        event.preventDefault();
        setSelection(event.shiftKey ? extend(selection, ids, clip.clip_id) : toggle(selection, clip.clip_id));
      } else if (isTrash) {
        event.preventDefault();
        setSelection({ ...selection, cursor: clip.clip_id, anchor: clip.clip_id });
      }
    },
    toggle: (clip) => setSelection(toggle(selection, clip.clip_id)),
    rename: (clip) => setRenaming(clip.clip_id),
    endRename(clip, name) {
      setRenaming(null);
      if (name !== null) void rename(clip, name);
    },
    tag: (clip) => setTagging([clip.clip_id]),
    trash: (clip) => trashThese([clip]),
    restore: (clip) => void restore([clip]),
  };

  const step = (by: number) => setSelection(move(selection, ids, by));
  const stretch = (by: number) => {
    const { cursor } = move(selection, ids, by);
    if (cursor !== null) setSelection(extend(selection, ids, cursor));
  };
  useKeys(isTrash ? "Trash" : "Library", [
    {
      key: "ArrowLeft ArrowRight",
      label: "Go to the clip beside",
      run: (event) => step(event.key === "ArrowLeft" ? -1 : 1),
    },
    {
      key: "ArrowUp ArrowDown",
      label: "Go to the row above or below",
      run: (event) => step(event.key === "ArrowUp" ? -columns : columns),
    },
    {
      key: "shift+ArrowLeft shift+ArrowRight",
      label: "Select on the way",
      run: (event) => stretch(event.key === "ArrowLeft" ? -1 : 1),
    },
    {
      key: "Space",
      label: "Select or leave out",
      run: () => selection.cursor !== null && setSelection(toggle(selection, selection.cursor)),
    },
    { key: "mod+A", label: "Select all", run: () => setSelection({ ...selection, selected: new Set(ids) }) },
    { key: "Escape", label: "Select none", run: () => setSelection({ ...selection, selected: new Set() }) },
    ...(isTrash
      ? [
          { key: "R", label: "Restore", run: () => void restore(targets()) },
          { key: "shift+Delete", label: "Empty the trash", run: () => setEmptying(all.length > 0) },
        ]
      : [
          {
            key: "Enter",
            label: "Open the clip",
            run: () => {
              const [clip] = pick(selection.cursor === null ? [] : [selection.cursor]);
              if (clip !== undefined) open(clip);
            },
          },
          {
            key: "F2",
            label: "Rename",
            run: () => selection.cursor !== null && setRenaming(selection.cursor),
          },
          {
            key: "T",
            label: "Tags",
            run: () => getTargets(selection).length > 0 && setTagging(getTargets(selection)),
          },
          {
            key: "K",
            label: "Key-frames of the selected clips",
            run: () => askForBatch(getTargets(selection)),
          },
          { key: "Delete Backspace", label: "Move to the trash", run: () => trashThese(targets()) },
          {
            key: "shift+E",
            label: "Export key-frames",
            run: () => openExport(getTargets(selection).map((clip_id) => ({ clip_id }))),
          },
          { key: "shift+I", label: "Import key-frames", run: () => openImport(null) },
          { key: "A", label: "Add clips", run: () => pickFiles() },
        ]),
    { key: "mod+Z", label: "Undo the last change", run: () => void undo() },
    { key: "/", label: "Filter", run: () => filter.current?.focus() },
  ]);

  const selected = pick([...selection.selected]);
  const isEmpty = all.length === 0;
  return (
    <div className={classes.page}>
      {selected.length > 0 ? (
        <SelectionBar
          clips={selected}
          isTrash={isTrash}
          onTag={() => setTagging(selected.map(({ clip_id }) => clip_id))}
          onKeyFrames={() => askForBatch(selected.map(({ clip_id }) => clip_id))}
          onTrash={() => trashThese(selected)}
          onRestore={() => void restore(selected)}
          onClear={() => setSelection({ ...selection, selected: new Set() })}
        />
      ) : (
        <Toolbar
          arrangement={arrangement}
          view={view}
          isTrash={isTrash}
          tags={tags}
          summary={isEmpty ? null : summarise(shown, all.length)}
          filter={filter}
          onFilter={(text) => go({ q: text === "" ? undefined : text })}
          onTag={(next) => go({ tag: next ?? undefined }, true)}
          onSort={sortBy}
          onView={(next) => go({ view: next === "grid" ? undefined : next })}
          onBrowse={() => setBrowsing(true)}
          onEmpty={isEmpty ? null : () => setEmptying(true)}
        />
      )}
      <div className={classes.content} data-view={view}>
        {shown.length === 0 ? (
          <>
            <UploadPanel />
            {isEmpty ? (
              isTrash ? (
                <EmptyTrash />
              ) : (
                <EmptyLibrary onBrowse={() => setBrowsing(true)} />
              )
            ) : (
              <NothingFound onClear={() => go({ q: undefined, tag: undefined })} />
            )}
          </>
        ) : (
          <ClipList
            clips={shown}
            jobs={jobs}
            view={view}
            selection={selection}
            renaming={renaming}
            actions={actions}
            onColumns={setColumns}
            above={
              <>
                {!isTrash && <UploadPanel />}
                {view === "list" && (
                  <ListHead
                    sort={sort}
                    order={order}
                    onSort={(next) =>
                      sortBy(next, next === sort ? (order === "asc" ? "desc" : "asc") : getFirstOrder(next))
                    }
                  />
                )}
              </>
            }
          />
        )}
      </div>
      {tagging !== null && (
        <TagsDialog
          clips={pick(tagging)}
          known={tags.map((one) => one.tag)}
          onClose={() => setTagging(null)}
        />
      )}
      {isEmptying && <EmptyTrashDialog clips={all} onClose={() => setEmptying(false)} />}
      {isBrowsing && <FolderDialog onClose={() => setBrowsing(false)} />}
    </div>
  );
}

/** "7 clips · 1:21.3 · 9.32 MB", of those that are shown. */
function summarise(clips: readonly Clip[], all: number): string {
  const secs = clips.reduce((sum, { duration_secs }) => sum + (duration_secs ?? 0), 0);
  const bytes = clips.reduce((sum, clip) => sum + clip.bytes, 0);
  const count =
    clips.length === all ? formatNumberOf(all, "clip") : `${clips.length} of ${formatNumberOf(all, "clip")}`;
  return [count, secs > 0 ? formatClock(secs) : null, formatBytes(bytes)]
    .filter((part) => part !== null)
    .join(" · ");
}

function EmptyLibrary({ onBrowse }: { onBrowse: () => void }) {
  return (
    <div className={classes.drop}>
      <EmptyState
        icon={<IconMovie size={34} stroke={1.3} />}
        title="Drop video files here"
        actions={
          <>
            <Button onClick={() => pickFiles()}>Choose files…</Button>
            <Button variant="default" onClick={onBrowse}>
              From a server folder…
            </Button>
          </>
        }
      >
        The library holds the clips that everything else starts from: their frames, key-frames and triples.
        Any video will do; the ones that this browser cannot play get a twin that it can, frame for frame.
      </EmptyState>
    </div>
  );
}

function EmptyTrash() {
  return (
    <EmptyState
      icon={<IconTrash size={30} stroke={1.4} />}
      title="The trash is empty"
      actions={
        <Button variant="default" component={Link} to="/library">
          Back to the library
        </Button>
      }
    >
      Clips that are thrown away wait here and can be restored.
    </EmptyState>
  );
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={<IconSearch size={28} stroke={1.4} />}
      title="No clip matches"
      actions={
        <Button variant="default" onClick={onClear}>
          Show all clips
        </Button>
      }
    >
      The filter looks at names, tags, codecs and states.
    </EmptyState>
  );
}

function Waiting() {
  return (
    <div className={classes.waiting} role="status" aria-label="Reading the library">
      {["a", "b", "c", "d", "e", "f"].map((key) => (
        <Skeleton key={key} className={classes.ghost} radius="md" />
      ))}
    </div>
  );
}
