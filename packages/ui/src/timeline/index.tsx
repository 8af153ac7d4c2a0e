export {
  createTimeScale,
  findFirstAt,
  findNearest,
  followMoment,
  panWindow,
  type TimeScale,
  type TimeWindow,
  zoomWindow,
} from "./time-scale.ts";
export { GUTTER_PX, getShortestWindow, MARGIN_PX, Timeline } from "./timeline.tsx";
