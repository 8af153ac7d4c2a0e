export { type TracePanel, type TracePanelProps, TracePanels } from "./panels.ts";
export { type InspectedTrace, TraceInspector } from "./trace-inspector.tsx";
