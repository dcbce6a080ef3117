/** The command line as few files of plain JavaScript: a program that starts pays for each file, and for each line. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
import { parsedData } from "./parsed-data.ts";

/** Makes `main.js`, and beside it the `chunks` that it loads when they are needed. */
export async function bundleCli(root: string, folder: string): Promise<void> {
  await build({
    input: {
      main: join(root, "src/cli/main.ts"),
      // Threads are started from files beside the chunk that starts them.
      "chunks/scan-worker": join(root, "src/scan/scan-worker.ts"),
      "chunks/find-worker": join(root, "src/scan/find-worker.ts"),
    },
    platform: "node",
    external: [/^node:/, /^bun:/, /^@secretlint\//],
    plugins: [parsedData()],
    output: {
      dir: folder,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
      cleanDir: true,
      // What the same commands use is one file, and so is what little some of them use alone.
      codeSplitting: { groups: [{ name: "shared", minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: +(process.env.TH??0) }] },
      minify: { compress: false, mangle: false, codegen: true },
    },
  });
  chmodSync(join(folder, "main.js"), 0o755);
}
