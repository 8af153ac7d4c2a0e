export { LinksOfTrace, LinksPanel } from "./links-panel.tsx";
