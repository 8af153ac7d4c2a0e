export { AttachPage } from "./attach-page.tsx";
export { HostPage } from "./host-page.tsx";
export { HostsPage } from "./hosts-page.tsx";
