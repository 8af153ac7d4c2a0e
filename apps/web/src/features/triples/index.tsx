export { TriplesPane } from "./triples-pane.tsx";
