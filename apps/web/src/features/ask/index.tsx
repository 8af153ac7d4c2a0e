export { AskPane } from "./ask-pane.tsx";
