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
export { GUTTER_PX, getShortestWindow, Timeline } from "./timeline.tsx";
