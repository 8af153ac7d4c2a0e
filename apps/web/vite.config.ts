import type { IncomingMessage } from "node:http";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig, type ProxyOptions } from "vite";

const serverUrl = new URL(process.env.SIGHTLINE_SERVER_URL ?? "http://127.0.0.1:4700");

/** Cross-origin isolation: threads in WebAssembly need both. The production server sends the same. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/**
 * The server admits only its own origin. A page of this dev server is let through as if it came from there;
 * any other origin is passed on as it is, so that the server refuses it.
 */
function ownOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}

const toServer: ProxyOptions = {
  target: serverUrl.origin,
  changeOrigin: true,
  autoRewrite: true,
  configure(proxy) {
    proxy.on("proxyReq", (proxyRequest, request) => {
      if (ownOrigin(request)) proxyRequest.setHeader("origin", serverUrl.origin);
    });
  },
};

export default defineConfig({
  plugins: [react()],
  worker: { format: "es" },
  // ONNX Runtime without its wasm inlined or copied by name: src/app/onnx-runtime.ts says where that is.
  resolve: { conditions: ["onnxruntime-web-use-extern-wasm", ...defaultClientConditions] },
  build: {
    target: "es2023",
    sourcemap: true,
    chunkSizeWarningLimit: 12_000,
    rolldownOptions: {
      output: {
        // Left to itself the bundler makes a file of every few lines that some pages share: a page then asks for a
        // hundred of them, which takes longer than to read what is in them.
        codeSplitting: {
          groups: [
            { name: "start", tags: ["$initial"], priority: 2 },
            { name: "icons", test: /node_modules[\\/]@tabler/ },
            { name: "controls", test: /node_modules[\\/](@mantine|@floating-ui)/ },
            {
              name: "common",
              test: /web[\\/]src[\\/]app[\\/][^\\/]+$|ui[\\/]src[\\/](status|empty-state)|core[\\/]src[\\/]format|react-query/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  optimizeDeps: {
    // Found late, a dependency makes the dev server reload the page; what lazy pages and workers need is named here.
    include: [
      "@huggingface/transformers",
      "@techstark/opencv-js",
      "mediabunny",
      "@mantine/core",
      "@mantine/hooks",
      "@mantine/modals",
      "@mantine/notifications",
      "@mantine/spotlight",
      "@tanstack/react-virtual",
      "@tanstack/react-table",
      "react-resizable-panels",
      "@sightline/ui > recharts",
      "@sightline/ui > uplot",
      "tus-js-client",
    ],
    exclude: ["onnxruntime-web"],
  },
  server: {
    headers: isolation,
    cors: false,
    // A build beside the dev server is not a change of the sources.
    watch: { ignored: ["**/dist*/**"] },
    proxy: { "/trpc": toServer, "/media": toServer, "/uploads": toServer, "/enter": toServer },
  },
  preview: { headers: isolation },
});
