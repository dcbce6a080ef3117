/** The command line as few files of plain JavaScript: a program that starts pays for each file that it loads. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";

/** Files of what most commands load anyway. The rest is divided by the commands that load it. */
const GROUPS = [
  { name: "base", test: /src[\\/]cli[\\/](?:command|io|terminal[\\/]neutral)\.ts$|session-error\.ts$/, priority: 2 },
  { name: "layout", test: /terminal[\\/](?:table|width)\.ts$/, priority: 2 },
  { name: "core", test: /[\\/]src[\\/]/, minShareCount: 4, priority: 1 },
];

/** Makes `main.js` in the folder, and beside it the `chunks` that it loads when they are needed. */
export async function bundleCli(root: string, folder: string): Promise<void> {
  await build({
    input: {
      main: join(root, "src/cli/main.ts"),
      // Threads are started from files beside the chunk that starts them.
      "chunks/scan-worker": join(root, "src/scan/scan-worker.ts"),
      "chunks/find-worker": join(root, "src/scan/find-worker.ts"),
    },
    platform: "node",
    // Of jsonc-parser only the module can be bundled: its other form looks for its files when it runs.
    resolve: { mainFields: ["module", "main"] },
    external: [/^node:/, /^bun:/, /^@secretlint\//, "@pydantic/genai-prices"],
    output: {
      dir: folder,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
      cleanDir: true,
      codeSplitting: { groups: GROUPS },
      minify: { compress: false, mangle: false, codegen: true },
    },
  });
  chmodSync(join(folder, "main.js"), 0o755);
}
