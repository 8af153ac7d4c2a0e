export type { FramePicture, FrameSource, FrameSourceStatus } from "./frame-source.ts";
export { FrameView } from "./frame-view.tsx";
export { pressShuttle, type ShuttleRate } from "./shuttle.ts";
export { TransportBar } from "./transport-bar.tsx";
export { type Transport, useTransport } from "./use-transport.ts";
