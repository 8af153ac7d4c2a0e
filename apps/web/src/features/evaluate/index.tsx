import { EmptyState } from "@sightline/ui/empty-state";
import { IconTargetArrow } from "@tabler/icons-react";
import { usePageTitle } from "../../app/page-title.ts";

/** Will hold answers of models to question sets. */
export function EvaluatePage() {
  usePageTitle("Evaluate");
  return (
    <EmptyState
      icon={<IconTargetArrow size={30} stroke={1.4} />}
      title="Evaluating is not part of this version yet"
    >
      Here models will answer question sets under one settings card, with intervals and a table per task.
    </EmptyState>
  );
}
