import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { build, createServer, preview } from "vite";

const root = fileURLToPath(new URL(".", import.meta.url));

/** Serves the gallery on a free port: from source, or as a production build in `outDir`. */
export async function serveGallery(
  options: { outDir?: string } = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const shared = { root, configFile: false as const, logLevel: "error" as const, plugins: [react()] };
  if (options.outDir === undefined) {
    const server = await createServer({
      ...shared,
      server: { port: 0, host: "127.0.0.1" },
      optimizeDeps: { include: ["react", "react-dom/client", "recharts", "uplot", "@mantine/core"] },
    });
    await server.listen();
    return { url: server.resolvedUrls?.local[0] ?? "", close: () => server.close() };
  }
  await build({ ...shared, build: { outDir: options.outDir, emptyOutDir: true, target: "es2023" } });
  const server = await preview({
    ...shared,
    build: { outDir: options.outDir },
    preview: { port: 0, host: "127.0.0.1" },
  });
  return { url: server.resolvedUrls?.local[0] ?? "", close: () => server.close() };
}
