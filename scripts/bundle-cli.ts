/** The command line as few files of plain JavaScript: a program that starts pays for each file that it loads. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";

/**
 * Files of what most commands load anyway, and of what a search in the index loads, which is to take no longer than a
 * start. The rest is divided by the commands that load it.
 */
const GROUPS = [
  // `main.js` loads nothing but this before Node keeps what it compiles.
  { name: "version", test: /src[\\/]version\.ts$/, priority: 4 },
  {
    name: "base",
    test: /src[\\/](?:cli[\\/](?:command|io|output|option-values|shown-source|session-argument|terminal[\\/](?:neutral|times))|sessions[\\/]session-(?:error|ref)|store[\\/]store-(?:error|place))\.ts$/,
    priority: 3,
  },
  { name: "layout", test: /terminal[\\/](?:table|width)\.ts$/, priority: 3 },
  { name: "store", test: /src[\\/](?:matching|store(?![\\/]postgres))[\\/]/, priority: 2 },
  {
    name: "search",
    test: /src[\\/](?:search[\\/]|cli[\\/](?:commands[\\/]find|find-(?:index|indexed|query|text))\.ts)/,
    priority: 2,
  },
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
