/** Every way to name the plugin in opencode.json that works without a registry, in the real opencode. Needs `dist/`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { text } from "../support/host/model-script.ts";
import { startModel, type ModelServer } from "../support/host/model.ts";
import { runOpencode } from "../support/host/process.ts";
import { createSandbox } from "../support/host/sandbox.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const TIMEOUT_MS = 120_000;
let model: Promise<ModelServer> | undefined;

/** Packs the package and puts it where an installation would; its dependencies are those of this repository. */
function installPacked(): string {
  const folder = makeTempDir();
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const { status, stdout, stderr } = spawnSync("npm", pack, { cwd: REPOSITORY, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const unpacked = spawnSync("tar", ["-xzf", join(folder, stdout.trim()), "-C", modules]);
  assert.equal(unpacked.status, 0, String(unpacked.stderr));
  for (const name of ["zod", "@secretlint"])
    symlinkSync(join(REPOSITORY, "node_modules", name), join(modules, name), "junction");
  return join(modules, "package");
}

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
  test("by the folder as a file: URL", () => recordsWith(pathToFileURL(REPOSITORY).href), TIMEOUT_MS);
  test("by the folder of the package from npm pack's tarball", () => recordsWith(installPacked()), TIMEOUT_MS);
  afterAll(async () => {
    removeTempDirs();
    await (await model)?.close();
  });
});
