import {
  IconChartLine,
  IconHelpCircle,
  IconMovie,
  IconServer2,
  IconSettings,
  IconTargetArrow,
} from "@tabler/icons-react";

/** The places of the workbench, in the order of a day's work. A place joins the rail when there is work to do in it. */
export const places = [
  { to: "/library", label: "Library", Icon: IconMovie },
  { to: "/questions", label: "Questions", Icon: IconHelpCircle },
  { to: "/runs", label: "Runs", Icon: IconChartLine },
  { to: "/evaluate", label: "Evaluate", Icon: IconTargetArrow },
  { to: "/hosts", label: "Hosts", Icon: IconServer2 },
  { to: "/settings", label: "Settings", Icon: IconSettings },
] as const;
