/** Builds `dist/`: plain ESM JavaScript with type declarations, the templates, and the JSON schema of the options. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as rolldown, type BuildOptions } from "rolldown";
import { bundledPackages, thirdPartyNotices } from "./third-party-notices.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const compiler = createRequire(import.meta.url).resolve("typescript/package.json");

/** Fails the build on a warning. */
const QUIET: Pick<BuildOptions, "onLog"> = {
  onLog: (level, { message }) => {
    if (level === "warn") throw new Error(message);
  },
};

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [join(dirname(compiler), "bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});

cpSync(join(root, "src/parse/prices/table.json"), join(dist, "parse/prices/table.json"));
const templates = join(dist, "templates/.openfleet");
cpSync(join(root, "src/templates/.openfleet"), templates, { recursive: true });
// npm treats `.gitignore` files in a package as rules for leaving files out.
for (const folder of ["transcripts", "sessions"]) {
  renameSync(join(templates, folder, ".gitignore"), join(templates, folder, "gitignore"));
}

// opencode waits for its plugins at each start, and one file loads in half the time. Large dependencies that only the
// first entry needs are not bundled.
const plugin = await rolldown({
  ...QUIET,
  input: join(root, "src/plugin.ts"),
  platform: "node",
  external: [/^node:/, "bun:sqlite"],
  output: {
    dir: dist,
    entryFileNames: "plugin.js",
    // Parser and prices, needed only by save_conversation.
    chunkFileNames: "plugin-[name].js",
    format: "esm",
    minify: { compress: false, mangle: false, codegen: true },
  },
});

// A bundled command line starts in a fraction of the time. Each command is loaded when it runs.
const cli = await rolldown({
  ...QUIET,
  input: {
    main: join(root, "src/cli/main.ts"),
    // Workers are started from files beside the chunk that starts them.
    "chunks/index-worker": join(root, "src/indexing/index-worker.ts"),
    "chunks/tool-worker": join(root, "src/tools/runner/tool-worker.ts"),
    "chunks/tool-requests": join(root, "src/tools/runner/tool-requests.ts"),
  },
  platform: "node",
  // Of jsonc-parser only the module can be bundled: its other form looks for its files when it runs.
  resolve: { mainFields: ["module", "main"] },
  external: [/^node:/, /^bun:/],
  output: {
    dir: join(dist, "cli"),
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    cleanDir: true,
    minify: { compress: false, mangle: false, codegen: true },
  },
});
chmodSync(join(dist, "cli/main.js"), 0o755);

// The script of the pages, as browsers run it.
await rolldown({
  ...QUIET,
  input: join(root, "src/web/browser/script.ts"),
  platform: "browser",
  output: { file: join(dist, "cli/script.js"), format: "iife", minify: true },
});
// The pages are part of the command line alone, with the packages that they are made with.
for (const folder of ["web", "render/html/pages"]) rmSync(join(dist, folder), { recursive: true });

// The prices are data of a package that is not bundled: see price-table.ts.
const prices = join(root, "node_modules/@pydantic/genai-prices");
const packages = new Set([...bundledPackages([...plugin.output, ...cli.output]), prices]);
writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), thirdPartyNotices([...packages]));

// The server is part of the command line alone, with the SDK that it stands on, which is no dependency of the package.
for (const extension of ["js", "d.ts"]) rmSync(join(dist, `tools/mcp-server.${extension}`));

// The plugin starts the tools' thread from a file beside it; the thread itself is the command line's.
writeFileSync(join(dist, "tool-worker.js"), `import "./cli/chunks/tool-worker.js";\n`);
writeFileSync(join(dist, "tool-requests.js"), `export * from "./cli/chunks/tool-requests.js";\n`);

const { optionsJsonSchema }: { optionsJsonSchema: () => unknown } = await import(join(dist, "config.js"));
mkdirSync(join(dist, "schema"), { recursive: true });
writeFileSync(join(dist, "schema/options.json"), `${JSON.stringify(optionsJsonSchema(), null, 2)}\n`);
