import { EmptyState } from "@sightline/ui/empty-state";
import { IconChecklist } from "@tabler/icons-react";
import { usePageTitle } from "../../app/page-title.ts";

/** Will hold the annotator's desk: key-frames and triples, judged by keyboard. */
export function AuditPage() {
  usePageTitle("Audit");
  return (
    <EmptyState
      icon={<IconChecklist size={30} stroke={1.4} />}
      title="Auditing is not part of this version yet"
    >
      Here key-frames and triples will be judged one by one, by keyboard, blind to the other annotator. Until
      then, a clip's page shows why each of its frames was kept or dropped.
    </EmptyState>
  );
}
