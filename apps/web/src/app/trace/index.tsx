export { type TracePanel, type TracePanelProps, TracePanels } from "./panels.ts";
export { PictureStrip } from "./picture-strip.tsx";
export { Reading, RULES } from "./reading.tsx";
export { tidy } from "./reward-account.tsx";
export { TraceInspector } from "./trace-inspector.tsx";
export { type Pictures, usePictures } from "./use-pictures.ts";
