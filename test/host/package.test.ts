/**
 * The package as users get it: installed by npm from a registry, by opencode from its name, and named by its folder.
 * Needs `dist/`.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { startRegistry, type LocalRegistry } from "../support/host/local-registry.ts";
import { text } from "../support/host/model-script.ts";
import { installPacked } from "../support/host/packed.ts";
import { startModel, type ModelServer } from "../support/host/model.ts";
import { BINARY, runOpencode, spawnProgram, type Running } from "../support/host/process.ts";
import { createSandbox, type Sandbox } from "../support/host/sandbox.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, beforeAll, describe, isLong, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const TIMEOUT_MS = 120_000;
let model: Promise<ModelServer> | undefined;

async function recordsWith(spec: string): Promise<void> {
  model ??= startModel({ package: [[text("Recorded.")]] });
  const sandbox = await createSandbox({ modelURL: (await model).url, plugins: [spec] });
  try {
    const { code, stderr } = await runOpencode(sandbox, ["run"], "scenario:package please");
    assert.equal(code, 0, stderr);
    const data = join(sandbox.projectDir, ".openfleet");
    const transcripts = (await readdir(join(data, "transcripts"))).filter((name) => name.startsWith("ses_"));
    assert.equal(transcripts.length, 1, `${transcripts.join(", ")}\n${stderr}`);
    const transcript = readFileSync(join(data, "transcripts", transcripts[0] ?? ""), "utf8");
    assert.match(transcript, /^scenario:package please$/m);
    assert.match(transcript, /^Recorded\.$/m);
    for (const name of ["transcripts/.gitignore", "transcripts/README.md", "sessions/.gitignore"]) {
      const template = join(REPOSITORY, "src/templates/.openfleet", name);
      assert.equal(readFileSync(join(data, name), "utf8"), readFileSync(template, "utf8"), name);
    }
  } finally {
    await sandbox.remove();
  }
}

describe("the plugin records when opencode.json names it", () => {
  test("by the folder of the repository", () => recordsWith(REPOSITORY), TIMEOUT_MS);
  if (isLong) test("by the folder as a file: URL", () => recordsWith(pathToFileURL(REPOSITORY).href), TIMEOUT_MS);
});

afterAll(async () => {
  removeTempDirs();
  await (await model)?.close();
});

/** What an installation may take on the disk, and the packages it may have. */
const MAX_BYTES = 26_000_000;
const MAX_PACKAGES = 77;

describe("the package, installed by npm into an empty folder", () => {
  const prefix = makeTempDir();
  const program = join(prefix, "bin/transcripts");
  let registry: LocalRegistry;
  let sandbox: Sandbox;
  const start = (...args: string[]): Running =>
    spawnProgram(program, args, { cwd: sandbox.projectDir, env: sandbox.env });
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await start(...args).finished;
    assert.equal(code, 0, `transcripts ${args.join(" ")}: ${stderr}`);
    return stdout;
  };

  beforeAll(async () => {
    registry = await startRegistry();
    model ??= startModel({ package: [[text("Recorded.")]] });
    sandbox = await createSandbox({ modelURL: (await model).url, env: { npm_config_registry: registry.url } });
    const args = ["install", "--global", "--prefix", prefix, "opencode-transcripts"];
    const { code, stderr } = await spawnProgram("npm", args, { cwd: sandbox.projectDir, env: sandbox.env }).finished;
    assert.equal(code, 0, stderr);
  });
  afterAll(async () => {
    registry.close();
    await sandbox.remove();
  });

  test("is small", () => {
    const names = readdirSync(prefix, { recursive: true, encoding: "utf8" });
    const bytes = names.reduce((sum, name) => sum + lstatSync(join(prefix, name)).size, 0);
    const packages = names.filter((name) => /node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(name));
    console.log(`installed: ${packages.length} packages, ${(bytes / 1e6).toFixed(1)} MB`);
    assert.ok(bytes <= MAX_BYTES && packages.length <= MAX_PACKAGES);
  });

  test(
    "makes opencode record with init, which installs the plugin by its name, and shows the session everywhere",
    async () => {
      await run("init");
      const config = readFileSync(join(sandbox.projectDir, "opencode.json"), "utf8");
      assert.deepEqual(JSON.parse(config).plugin, ["opencode-transcripts"]);
      const { code, stderr } = await runOpencode(sandbox, ["run"], "scenario:package please");
      assert.equal(code, 0, stderr);
      const recorded = (await readdir(join(sandbox.projectDir, ".openfleet/transcripts"))).filter((name) =>
        name.startsWith("ses_"),
      );
      assert.equal(recorded.length, 1, stderr);

      assert.match(await run("doctor"), /opencode\.json has the plugin/);
      assert.match(await run("list"), /opencode/);
      assert.match(await run("show", "latest"), /Recorded\./);
      assert.match(await run("find", "Recorded"), /Recorded\./);
      assert.match(await run("stats", "latest"), /scripted-model/);

      await run("archive", "-o", "pages");
      const list = readFileSync(join(sandbox.projectDir, "pages/index.html"), "utf8");
      assert.match(list, /Title of package/);
      assert.doesNotMatch(list, /from the store/, "its file is here");
      const server = start("serve");
      const [link] = await server.printed(/^http:\S+/m);
      const opened = await fetch(link, { redirect: "manual" });
      const cookie = opened.headers
        .getSetCookie()
        .map((each) => each.split(";")[0] ?? "")
        .join("; ");
      const page = await fetch(new URL("/", link), { headers: { cookie } });
      assert.deepEqual([page.status, (await page.text()).includes("Title of package")], [200, true]);
      await server.stop("SIGINT");

      const client = new Client({ name: "test", version: "1.0.0" });
      const env = Object.fromEntries(Object.entries(sandbox.env).map(([name, value]) => [name, value ?? ""]));
      await client.connect(new StdioClientTransport({ command: program, args: ["mcp"], env, cwd: sandbox.projectDir }));
      const answer = await client.callTool({ name: "find_in_transcripts", arguments: { query: "Recorded" } });
      assert.match(JSON.stringify(answer.content), /Recorded/);
      await client.close();
    },
    TIMEOUT_MS,
  );
});

/** opencode 2.x looks for `server` in a configured folder, without regard to `exports`, and for `NAME/server` in a package. */
describe("the embedded Bun finds the plugin where opencode 2.x looks for it", () => {
  const pluginAt = (specifier: string, from: string): string => {
    const code = `import(Bun.resolveSync(${JSON.stringify(specifier)}, ${JSON.stringify(from)})).then((m) => console.log(Object.keys(m.default).sort().join()))`;
    const env = { ...process.env, BUN_BE_BUN: "1" };
    const { stdout, stderr } = spawnSync(BINARY, ["-e", code], { env, encoding: "utf8" });
    return `${stdout}${stderr}`.trim();
  };
  test("in the folder of a checkout", () => assert.equal(pluginAt(join(REPOSITORY, "server"), "/"), "id,server,setup"));
  test("in the folder of the package", () =>
    assert.equal(pluginAt(join(installPacked(), "server"), "/"), "id,server,setup"));
  test("in the package by its name", () => {
    const folder = installPacked();
    assert.equal(pluginAt("opencode-transcripts/server", join(folder, "../..")), "id,server,setup");
  });
});
