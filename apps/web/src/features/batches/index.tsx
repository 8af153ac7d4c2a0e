export { BatchPage } from "./batch-page.tsx";
export { BatchesPage } from "./batches-page.tsx";
