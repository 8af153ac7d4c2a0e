import { EmptyState } from "@sightline/ui/empty-state";
import { IconGitCompare } from "@tabler/icons-react";
import { usePageTitle } from "../../app/page-title.ts";

/** Will hold runs side by side, with what their difference is worth. */
export function ComparePage() {
  usePageTitle("Compare");
  return (
    <EmptyState
      icon={<IconGitCompare size={30} stroke={1.4} />}
      title="Comparing is not part of this version yet"
    >
      Here runs will stand side by side: their curves over seeds, a sentence that says which schedule is
      better and how sure that is, and the answers that flipped. Until then, each run has a page of its own.
    </EmptyState>
  );
}
