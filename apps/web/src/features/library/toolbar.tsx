import {
  ActionIcon,
  Button,
  CloseButton,
  Group,
  Kbd,
  Menu,
  SegmentedControl,
  Select,
  TextInput,
  Tooltip,
} from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import { formatNumberOf } from "@sightline/core/format";
import {
  IconFileExport,
  IconFileImport,
  IconFolder,
  IconLayoutGrid,
  IconLayoutList,
  IconPlus,
  IconRestore,
  IconSearch,
  IconSortAscending,
  IconSortDescending,
  IconStack2,
  IconTag,
  IconTrash,
  IconTrashX,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { RefObject } from "react";
import { openExport, openImport } from "../../app/exchange/exchange.ts";
import { useTypedText } from "../../app/typed-text.ts";
import { pickFiles } from "../../app/uploads.ts";
import type { Arrangement, Order, Sort } from "./arrange.ts";
import classes from "./toolbar.module.css";

const SORTS = [
  { value: "added", label: "Added" },
  { value: "name", label: "Name" },
  { value: "duration", label: "Length" },
  { value: "size", label: "Size" },
];

type Props = {
  arrangement: Arrangement;
  view: "grid" | "list";
  isTrash: boolean;
  tags: readonly { tag: string; count: number }[];
  /** What is shown, in numbers. */
  summary: string | null;
  filter: RefObject<HTMLInputElement | null>;
  onFilter: (q: string) => void;
  onTag: (tag: string | null) => void;
  onSort: (sort: Sort, order: Order) => void;
  onView: (view: "grid" | "list") => void;
  onBrowse: () => void;
  /** Null while nothing is in the trash. */
  onEmpty: (() => void) | null;
};

/** What is shown, in which order, and the ways to add more. */
export function Toolbar(props: Props) {
  const {
    arrangement,
    view,
    isTrash,
    tags,
    summary,
    filter,
    onFilter,
    onTag,
    onSort,
    onView,
    onBrowse,
    onEmpty,
  } = props;
  const { q, tag, sort, order } = arrangement;
  const typed = useTypedText(q, onFilter);
  const OrderIcon = order === "asc" ? IconSortAscending : IconSortDescending;
  const orderLabel = order === "asc" ? "Ascending: turn round" : "Descending: turn round";
  return (
    <div className={classes.bar}>
      <TextInput
        ref={filter}
        className={classes.filter}
        aria-label="Filter clips"
        placeholder="Filter"
        leftSection={<IconSearch size={14} stroke={1.7} />}
        rightSection={
          q === "" ? (
            <Kbd>/</Kbd>
          ) : (
            <CloseButton size="xs" aria-label="Clear the filter" onClick={() => onFilter("")} />
          )
        }
        {...typed}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            onFilter("");
            event.currentTarget.blur();
          }
        }}
      />
      {(tags.length > 0 || tag !== null) && (
        <Select
          className={classes.tag}
          aria-label="Show clips with the tag"
          placeholder="Any tag"
          clearable
          searchable={tags.length > 8}
          leftSection={<IconTag size={14} stroke={1.6} />}
          data={tags.map((one) => ({ value: one.tag, label: `${one.tag} (${one.count})` }))}
          value={tag}
          onChange={onTag}
        />
      )}
      <Group gap={2} wrap="nowrap">
        <Select
          className={classes.sort}
          aria-label="Sort by"
          allowDeselect={false}
          data={SORTS}
          value={sort}
          onChange={(value) => onSort((value ?? "added") as Sort, order)}
        />
        <Tooltip label={orderLabel}>
          <ActionIcon aria-label={orderLabel} onClick={() => onSort(sort, order === "asc" ? "desc" : "asc")}>
            <OrderIcon size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Group>
      <SegmentedControl
        aria-label="Layout"
        value={view}
        onChange={(value) => onView(value as "grid" | "list")}
        data={[
          {
            value: "grid",
            label: <IconLayoutGrid className={classes.icon} size={15} stroke={1.6} aria-label="Grid" />,
          },
          {
            value: "list",
            label: <IconLayoutList className={classes.icon} size={15} stroke={1.6} aria-label="List" />,
          },
        ]}
      />
      <span className={classes.summary}>{summary}</span>
      {isTrash ? (
        <>
          {onEmpty !== null && (
            <Button variant="default" leftSection={<IconTrashX size={14} stroke={1.6} />} onClick={onEmpty}>
              Empty the trash…
            </Button>
          )}
          <Button variant="default" component={Link} to="/library">
            Back to the library
          </Button>
        </>
      ) : (
        <>
          <Tooltip label="Batches of key-frames">
            <ActionIcon
              aria-label="Batches of key-frames"
              renderRoot={(props) => <Link to="/batches" {...props} />}
            >
              <IconStack2 size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Trash">
            <ActionIcon
              aria-label="Open the trash"
              renderRoot={(props) => <Link to="/library" search={{ trash: true }} {...props} />}
            >
              <IconTrash size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
          <AddMenu onBrowse={onBrowse} />
        </>
      )}
    </div>
  );
}

function AddMenu({ onBrowse }: { onBrowse: () => void }) {
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <Button leftSection={<IconPlus size={14} stroke={2} />}>Add clips</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconPlus size={15} stroke={1.6} />}
          rightSection="A"
          onClick={() => pickFiles()}
        >
          From this computer…
        </Menu.Item>
        <Menu.Item leftSection={<IconFolder size={15} stroke={1.6} />} onClick={onBrowse}>
          From a server folder…
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconFileImport size={15} stroke={1.6} />}
          rightSection="⇧I"
          onClick={() => openImport(null)}
        >
          Import key-frames…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Stands in the toolbar's place while clips are selected. */
export function SelectionBar({
  clips,
  isTrash,
  onTag,
  onKeyFrames,
  onTrash,
  onRestore,
  onClear,
}: {
  clips: readonly Clip[];
  isTrash: boolean;
  onTag: () => void;
  onKeyFrames: () => void;
  onTrash: () => void;
  onRestore: () => void;
  onClear: () => void;
}) {
  return (
    <div className={classes.bar} data-selection>
      <CloseButton size="sm" aria-label="Select none" onClick={onClear} />
      <span className={classes.count}>{formatNumberOf(clips.length, "clip")} selected</span>
      {isTrash ? (
        <Button variant="default" leftSection={<IconRestore size={14} stroke={1.6} />} onClick={onRestore}>
          Restore
        </Button>
      ) : (
        <>
          <Button variant="default" leftSection={<IconTag size={14} stroke={1.6} />} onClick={onTag}>
            Tags…
          </Button>
          <Button variant="default" leftSection={<IconStack2 size={14} stroke={1.6} />} onClick={onKeyFrames}>
            Key-frames…
          </Button>
          <Button
            variant="default"
            leftSection={<IconFileExport size={14} stroke={1.6} />}
            onClick={() => openExport(clips.map(({ clip_id }) => ({ clip_id })))}
          >
            Export key-frames…
          </Button>
          <Button variant="default" leftSection={<IconTrash size={14} stroke={1.6} />} onClick={onTrash}>
            Move to the trash
          </Button>
        </>
      )}
    </div>
  );
}
