export { ClipPage } from "./clip-page.tsx";
