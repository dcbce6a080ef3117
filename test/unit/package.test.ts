/** The package as npm would publish it. Needs `dist/`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { VERSION } from "../../src/version.ts";
import { REPOSITORY } from "../support/repository.ts";
import { describe, test } from "../support/runner.ts";

const DIST = join(REPOSITORY, "dist");
assert(existsSync(join(DIST, "plugin.js")), "build the package first: npm run build");

const manifest = z
  .object({ name: z.string(), version: z.string(), dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")));

function packedFiles(): string[] {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: REPOSITORY, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const [packed] = z.array(z.object({ files: z.array(z.object({ path: z.string() })) })).parse(JSON.parse(stdout));
  return (packed?.files ?? []).map(({ path }) => path);
}

/** Names of packages, and of Node's own modules, that a built file imports. */
function importedPackages(file: string): string[] {
  const source = readFileSync(join(DIST, file), "utf8");
  const imports = /^(?:import|export)\s[^;]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm;
  return [...source.matchAll(imports)]
    .map(([, from, alone, dynamic]) => from ?? alone ?? dynamic ?? "")
    .filter((specifier) => !specifier.startsWith("."))
    .map((specifier) =>
      isBuiltin(specifier) ? specifier : specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/"),
    );
}

const builtFiles = readdirSync(DIST, { recursive: true, encoding: "utf8" });

/** Modules that come with a runtime: Node's, and Bun's SQLite, which is imported only under Bun. */
const HOST_MODULES = /^(?:node:|bun:sqlite$)/;

describe("the package", () => {
  test("is the same plugin for both generations of opencode, by the folder of a checkout too", async () => {
    const [packaged, checkout] = await Promise.all(
      ["dist/plugin.js", "server.js"].map((file) => import(pathToFileURL(join(REPOSITORY, file)).href)),
    );
    assert.equal(checkout.default, packaged.default);
    assert.deepEqual(Object.keys(packaged.default).toSorted(), ["id", "server", "setup"]);
    const { exports } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8"));
    assert.equal(exports["./server"].default, "./dist/plugin.js");
  });

  test("loads what only opencode 2.x needs when it calls setup, and not before", () => {
    const source = readFileSync(join(DIST, "plugin.js"), "utf8");
    const fixed = [...source.matchAll(/^import[^;]*?from\s*"(\.\/[^"]+)"/gm)].map(([, path = ""]) => path);
    const loaded = [source, ...fixed.map((path) => readFileSync(join(DIST, path), "utf8"))].join("\n");
    assert.ok(!loaded.includes("session.inbox.delivered"), "the events of 2.x are in no file that 1.x loads");
    assert.match(source, /import\(["`]\.\/plugin-setup\.js["`]\)/);
  });

  test("has the same version everywhere", () => {
    assert.equal(VERSION, manifest.version);
    const plugin = JSON.parse(readFileSync(join(REPOSITORY, ".claude-plugin/plugin.json"), "utf8"));
    assert.deepEqual([plugin.name, plugin.version], [manifest.name, manifest.version]);
  });

  test("contains what its users need, and nothing else", () => {
    const files = packedFiles();
    const needed = [
      "LICENSE",
      "README.md",
      "CHANGELOG.md",
      "docs/format.md",
      "docs/architecture.md",
      "dist/index.js",
      "dist/index.d.ts",
      "dist/plugin.js",
      "dist/plugin.d.ts",
      "dist/schema/options.json",
      "dist/THIRD-PARTY-NOTICES.txt",
      "dist/templates/.openfleet/transcripts/README.md",
      "dist/templates/.openfleet/transcripts/gitignore",
      "dist/templates/.openfleet/sessions/gitignore",
      "dist/cli/main.js",
      "server.js",
      "skills/transcripts/SKILL.md",
      "skills/transcripts/references/transcript-format.md",
      ".claude-plugin/plugin.json",
      ".claude-plugin/marketplace.json",
      ".mcp.json",
      "hooks/hooks.json",
      "hooks/index-session.sh",
    ];
    for (const file of needed) assert(files.includes(file), `${file} is not in the package`);
    const known =
      /^(dist\/|docs\/[\w/.-]+\.(?:md|json|txt)$|skills\/[\w/-]+\.md$|\.claude-plugin\/(?:plugin|marketplace)\.json$|\.mcp\.json$|hooks\/(?:hooks\.json|index-session\.sh)$|server\.js$|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/;
    assert.deepEqual(
      files.filter((file) => !known.test(file) || /\.test\.|(^|\/)(test|bench|demo)\//.test(file)),
      [],
    );
  });

  test("imports what it declares as dependencies, what Node has, and nothing else", () => {
    const imported = new Set(builtFiles.filter((file) => file.endsWith(".js")).flatMap(importedPackages));
    const unknown = [...imported].filter((name) => !HOST_MODULES.test(name) && !(name in manifest.dependencies));
    assert.deepEqual(unknown, []);
    assert(imported.has("node:fs") && imported.has("zod"), "the search for imports finds none");
  });

  test("names each package that is bundled, with its version and licence", () => {
    const notices = readFileSync(join(DIST, "THIRD-PARTY-NOTICES.txt"), "utf8");
    const bundles = builtFiles.filter((file) => /^(?:plugin(?:-[\w-]+)?|cli[\\/].*)\.js$/.test(file));
    const code = bundles.map((file) => readFileSync(join(DIST, file), "utf8")).join("\n");
    for (const [name, mark] of [
      ["commander", "CommanderError"],
      ["@modelcontextprotocol/sdk", "notifications/initialized"],
      ["zod", "ZodError"],
      ["pg", "SASLInitialResponseMessage"],
      ["micromark", "labelStartImage"],
      ["diff", "maxEditLength"],
      ["@pydantic/genai-prices", "input_mtok"],
    ] as const) {
      assert(name === "@pydantic/genai-prices" || code.includes(mark), `${mark} is in no bundle any more`);
      const installed: unknown = JSON.parse(
        readFileSync(join(REPOSITORY, "node_modules", name, "package.json"), "utf8"),
      );
      const { version, license } = z.object({ version: z.string(), license: z.string() }).parse(installed);
      assert(notices.includes(`\n${name} ${version} (${license})\n`), `${name} ${version} is not in the notices`);
    }
    assert(notices.split("Permission").length > 50, "the notices have no licence texts");
  });

  test("uses no global of Bun's", () => {
    // A package may ask first whether there is one.
    const users = builtFiles.filter(
      (file) => file.endsWith(".js") && /(?<!\?\s*)\bBun\.\w/.test(readFileSync(join(DIST, file), "utf8")),
    );
    assert.deepEqual(users, []);
  });

  test("installs without a warning for each package that wants a newer Node", () => {
    const { stdout } = spawnSync("npm", ["config", "get", "loglevel"], {
      cwd: REPOSITORY,
      encoding: "utf8",
      env: { ...process.env, npm_config_loglevel: undefined },
    });
    assert.equal(stdout.trim(), "error");
  });

  test("has an entry that exports the plugin and nothing else", () => {
    // In a process of its own: each copy of the package in a process has another id, and tests load other copies.
    const program = `import(${JSON.stringify(pathToFileURL(join(DIST, "plugin.js")).href)}).then((entry) =>
      console.log(JSON.stringify([Object.keys(entry), entry.default.id, typeof entry.default.server])))`;
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8" });
    assert.equal(stderr, "");
    assert.deepEqual(JSON.parse(stdout), [["default"], "opencode-transcripts", "function"]);
  });

  test("is a library too", async () => {
    const library: object = await import(pathToFileURL(join(DIST, "index.js")).href);
    const names = Object.keys(library);
    for (const name of ["parseTranscript", "findSessions", "createRedactor", "openStore", "search"])
      assert(names.includes(name), `${name} is not exported`);
  });
});
