/** The command line as few files of plain JavaScript: a program that starts pays for each file that it loads. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";

/** Modules of a folder, by their names without the extension. */
function modules(folder: string, ...names: readonly string[]): string {
  return `src[\\\\/]${folder.replaceAll("/", String.raw`[\\/]`)}(?:${names.join("|")})\\.ts$`;
}

/** What every command loads: reading the arguments, and what stands below nearly all. */
const BASE = [
  modules(
    "cli/",
    "command",
    "context",
    "process",
    "definitions",
    "io",
    "output",
    "option-values",
    "program",
    "read-arguments",
  ),
  modules("cli/", "read-date", "session-argument", "shown-source"),
  modules("cli/definitions/", String.raw`[\w-]+`),
  modules("cli/terminal/", "neutral", "progress", "times"),
  modules("parse/", "read-date"),
  modules("sessions/", "session-error", "session-ref"),
  modules("store/", "store-error", "store-place"),
  String.raw`node_modules[\\/](?:commander|picocolors)[\\/]`,
];

/** What a search in the index loads, which is to take no longer than a start. */
const SEARCH = [
  modules("matching/", String.raw`[\w-]+`),
  modules("search/", String.raw`[\w-]+`),
  modules("sqlite/", "node-sqlite"),
  modules("store/", String.raw`(?:sqlite[\\/]|migrations[\\/])?[\w-]+`),
  modules("cli/", "find-index", "find-indexed", "find-query", "find-text"),
  modules("cli/commands/", "find"),
  modules("cli/terminal/", "width"),
];

/** Files, since each that is loaded costs a millisecond. The rest is divided by the commands that load it. */
const GROUPS = [
  // `main.js` loads nothing but this before Node keeps what it compiles.
  { name: "version", test: /src[\\/]version\.ts$/, priority: 4 },
  { name: "base", test: new RegExp(BASE.join("|")), priority: 3 },
  { name: "search", test: new RegExp(SEARCH.join("|")), priority: 2 },
  // What reads sessions, and what threads that do load.
  { name: "core", test: /[\\/]src[\\/](?:files|format|parse|scan|sessions)[\\/]/, minShareCount: 4, priority: 1 },
  ...["cli", "html", "indexing", "redact", "snippets", "tools"].map((folder) => ({
    name: folder,
    test: new RegExp(String.raw`[\\/]src[\\/]${folder}[\\/]`),
    minShareCount: 4,
    priority: 0,
  })),
];

/** Makes `main.js` in the folder, and beside it the `chunks` that it loads when they are needed. */
export async function bundleCli(root: string, folder: string): Promise<void> {
  await build({
    input: {
      main: join(root, "src/cli/main.ts"),
      // Threads are started from files beside the chunk that starts them.
      "chunks/scan-worker": join(root, "src/scan/scan-worker.ts"),
      "chunks/find-worker": join(root, "src/scan/find-worker.ts"),
      "chunks/index-worker": join(root, "src/indexing/index-worker.ts"),
    },
    platform: "node",
    // Of jsonc-parser only the module can be bundled: its other form looks for its files when it runs.
    resolve: { mainFields: ["module", "main"] },
    external: [/^node:/, /^bun:/, /^@secretlint\//],
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
