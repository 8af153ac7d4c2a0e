import "./styles.css";
import { router } from "./app/routes.tsx";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

// What a page asks for first is on its way, and its code, before the code that draws is there.
void router.load();
void import("./app/draw.tsx").then(({ draw }) => draw(router, root));
