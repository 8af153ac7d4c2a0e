import "@mantine/core/styles.css";
import "../src/theme/base.css";
import { MantineProvider } from "@mantine/core";
import { createRoot } from "react-dom/client";
import { cssVariablesResolver, theme } from "../src/theme/index.ts";
import { CurveBench } from "./curve-bench.tsx";
import { CurveGallery } from "./curves.tsx";

const query = new URLSearchParams(location.search);
const scheme = query.get("scheme") === "dark" ? "dark" : "light";
const page = query.get("bench") ? <CurveBench query={query} /> : <CurveGallery only={query.get("picture")} />;

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} forceColorScheme={scheme}>
      {page}
    </MantineProvider>,
  );
