import { Button, Menu, Popover, TextInput } from "@mantine/core";
import type { FindFilter, FindView } from "@sightline/core/find";
import { IconBookmark, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client, trpc } from "../../../../app/clients.ts";
import { notifyDone, notifyFailure, notifyUndoable } from "../../../../app/notify.tsx";
import classes from "./find.module.css";

/** Filters that people named, to be used on any run; and a name for the one in force. */
export function ViewsMenu({ filter, onPick }: { filter: FindFilter; onPick: (filter: FindFilter) => void }) {
  const queryClient = useQueryClient();
  const views = useQuery({ ...trpc.find.views.queryOptions(), staleTime: 0 }).data ?? [];
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.find.views.queryKey() });
  const remove = useMutation(
    trpc.find.removeView.mutationOptions({
      onSuccess: (_, { view_id }) => {
        void refresh();
        notifyUndoable("The view was taken away.", () => {
          client.find.restoreView
            .mutate({ view_id })
            .then(refresh)
            .catch((error: unknown) => notifyFailure("Could not bring the view back", error));
        });
      },
      onError: (error) => notifyFailure("Could not take the view away", error),
    }),
  );
  return (
    <>
      {views.length > 0 && (
        <Menu position="bottom-end" width={320}>
          <Menu.Target>
            <Button size="compact-xs" variant="default">
              Views ({views.length})
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {views.map((view) => (
              <div key={view.view_id} className={classes.view}>
                <Menu.Item onClick={() => onPick(view.filter)}>
                  {view.name}
                  <span className={classes.by}>
                    {view.author}, {new Date(view.made_secs * 1000).toLocaleString()}
                  </span>
                </Menu.Item>
                <Menu.Item
                  className={classes.remove}
                  aria-label={`Take away ${view.name}`}
                  onClick={() => remove.mutate({ view_id: view.view_id })}
                >
                  <IconTrash size={13} stroke={1.7} />
                </Menu.Item>
              </div>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {Object.keys(filter).length > 0 && <SaveView filter={filter} views={views} onChanged={refresh} />}
    </>
  );
}

function SaveView({
  filter,
  views,
  onChanged,
}: {
  filter: FindFilter;
  views: readonly FindView[];
  onChanged: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const save = useMutation(
    trpc.find.saveView.mutationOptions({
      onSuccess: ({ view_id, replaced }) => {
        setOpen(false);
        setName("");
        onChanged();
        const [before] = replaced;
        if (before === undefined) notifyDone("The view is kept under Views, for every run.");
        else
          notifyUndoable("The view took the place of the one that was called so.", () => {
            client.find.restoreView
              .mutate({ view_id: before, instead_of: view_id })
              .catch((error: unknown) => notifyFailure("Could not bring the view before it back", error))
              .finally(onChanged);
          });
      },
      // Another tab may have taken the name: then it is asked about.
      onError: onChanged,
    }),
  );
  const taken = views.find((view) => view.name === name.trim());
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconBookmark size={13} stroke={1.7} />}
          onClick={() => setOpen(!isOpen)}
        >
          Save view
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className={classes.save}
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate({ name, filter, replaces: taken !== undefined });
          }}
        >
          <TextInput
            size="xs"
            label="Name of the view"
            data-autofocus
            value={name}
            error={save.error?.message}
            description={
              taken &&
              `${taken.name} is there already, by ${taken.author}. Replace it, or choose another name.`
            }
            inputWrapperOrder={["label", "input", "description", "error"]}
            onChange={(event) => {
              setName(event.currentTarget.value);
              save.reset();
            }}
          />
          <Button size="xs" type="submit" disabled={name.trim() === ""} loading={save.isPending}>
            {taken ? "Replace" : "Save"}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
