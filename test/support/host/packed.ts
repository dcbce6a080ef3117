/** The package as an installation has it, from `npm pack`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { REPOSITORY } from "../repository.ts";
import { makeTempDir } from "../temp-dir.ts";

/** Packs the package and unpacks it in a folder `node_modules`; its dependencies are those of this repository. */
export function installPacked(modules = join(makeTempDir(), "node_modules")): string {
  const folder = makeTempDir();
  mkdirSync(modules, { recursive: true });
  // As npm leaves it: without it, a package.json further up may be taken for the package's own.
  writeFileSync(join(dirname(modules), "package.json"), '{ "private": true }');
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const { status, stdout, stderr } = spawnSync("npm", pack, { cwd: REPOSITORY, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const unpacked = spawnSync("tar", ["-xzf", join(folder, stdout.trim()), "-C", modules]);
  assert.equal(unpacked.status, 0, String(unpacked.stderr));
  symlinkSync(join(REPOSITORY, "node_modules/zod"), join(modules, "zod"), "junction");
  const installed = join(modules, "opencode-transcripts");
  renameSync(join(modules, "package"), installed);
  return installed;
}
