/** The command line as few files of plain JavaScript: a program that starts pays for each file that it loads. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { build, type BuildOptions, type RolldownOutput } from "rolldown";
import { leanChunks } from "./lean-chunks.ts";

/** Modules of a folder, by their names without the extension. */
function modules(folder: string, ...names: readonly string[]): string {
  return `src[\\\\/]${folder.replaceAll("/", String.raw`[\\/]`)}(?:${names.join("|")})\\.ts$`;
}

/**
 * What every command loads: reading the arguments, what stands below nearly all, and a search in the index, which is to
 * take no longer than a start. In a file of its own that would take a millisecond more, and here it takes the others
 * half of one.
 */
const BASE = [
  modules(
    "cli/",
    "command",
    "context",
    "process",
    "process-output",
    "definitions",
    "io",
    "output",
    "option-values",
    "program",
    "read-arguments",
  ),
  modules("cli/", "read-date", "session-argument", "shown-source"),
  modules("cli/definitions/", String.raw`[\w-]+`),
  modules("", "neutral-text"),
  modules("cli/terminal/", "progress", "times", "width"),
  modules("parse/", "read-date"),
  modules("sessions/", "session-error", "session-ref"),
  modules("store/", "store-error", "store-place"),
  String.raw`node_modules[\\/](?:commander|picocolors)[\\/]`,
  modules("matching/", String.raw`[\w-]+`),
  // Without what reads sessions: `search-files` and `scanned`.
  modules("search/", "collect", "cursor", "current-index", "known-sessions", "matching-texts", "query", "ranking"),
  modules(
    "search/",
    "search",
    "search-all",
    "search-error",
    "seen-places",
    "short-hash",
    "stored-ref",
    "wanted-sessions",
    "words",
  ),
  modules("sqlite/", "node-sqlite"),
  modules("store/", String.raw`(?:sqlite[\\/]|migrations[\\/])?[\w-]+`),
  modules("cli/", "find-index", "find-indexed", "find-query", "find-text", "plural"),
  modules("cli/commands/", "find"),
];

const COMMON = "base";
const ENTRY = "main.js";

/** Files, since each that is loaded costs a millisecond. The rest is divided by the commands that load it. */
const GROUPS = [
  { name: COMMON, test: new RegExp(BASE.join("|")), priority: 2 },
  // What reads sessions, and what threads that do load.
  { name: "core", test: /[\\/]src[\\/](?:files|format|parse|scan|sessions)[\\/]/, minShareCount: 4, priority: 1 },
  ...["cli", "html", "indexing", "redact", "snippets", "tools"].map((folder) => ({
    name: folder,
    test: new RegExp(String.raw`[\\/]src[\\/]${folder}[\\/]`),
    minShareCount: 4,
    priority: 0,
  })),
];

/**
 * A warning fails the build, so that none stays. Not warned of: an `import()` of what the same chunk has anyway, which is
 * common where chunks are chosen by hand.
 */
export const QUIET: Pick<BuildOptions, "checks" | "onLog"> = {
  checks: { ineffectiveDynamicImport: false },
  onLog: (level, { message }) => {
    if (level === "warn") throw new Error(message);
  },
};

/** Makes `main.js` in the folder, and beside it the `chunks` that it loads when they are needed. */
export async function bundleCli(root: string, folder: string): Promise<RolldownOutput> {
  const output = await build({
    ...QUIET,
    input: {
      main: join(root, "src/cli/main.ts"),
      // Threads are started from files beside the chunk that starts them.
      "chunks/scan-worker": join(root, "src/scan/scan-worker.ts"),
      "chunks/find-worker": join(root, "src/scan/find-worker.ts"),
      "chunks/index-worker": join(root, "src/indexing/index-worker.ts"),
    },
    platform: "node",
    plugins: [leanChunks({ entry: ENTRY, common: COMMON })],
    // `main.js` has nothing to load before Node keeps what it compiles: not even the version.
    optimization: { inlineConst: { mode: "all" } },
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
  chmodSync(join(folder, ENTRY), 0o755);
  return output;
}
