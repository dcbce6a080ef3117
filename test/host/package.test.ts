/** Every way to name the plugin in opencode.json that works without a registry, in the real opencode. Needs `dist/`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { text } from "../support/host/model-script.ts";
import { installPacked } from "../support/host/packed.ts";
import { startModel, type ModelServer } from "../support/host/model.ts";
import { BINARY, runOpencode } from "../support/host/process.ts";
import { createSandbox } from "../support/host/sandbox.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, isLong, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

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
  test("by the folder of the package from npm pack's tarball", () => recordsWith(installPacked()), TIMEOUT_MS);
  afterAll(async () => {
    removeTempDirs();
    await (await model)?.close();
  });
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
