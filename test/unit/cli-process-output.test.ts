/** Standard output: nothing is lost and nothing is said twice, whoever reads. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { notOnLinux } from "../support/machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const CHILD = fileURLToPath(new URL("../support/cli/output-child.ts", import.meta.url));
/** More than any pipe holds, of characters that take several bytes. */
const LONG = "語🙂 and so on\n".repeat(40_000);

describe("standard output", () => {
  test("a file gets all of it", () => {
    const path = join(makeTempDir(), "out");
    const descriptor = openSync(path, "w");
    execFileSync(process.execPath, [CHILD], { stdio: ["ignore", descriptor, "inherit"] });
    closeSync(descriptor);
    assert.equal(readFileSync(path, "utf8"), `begin\n${LONG}end`);
  });

  if (process.platform === "win32") return;

  for (const [name, command] of [
    ["a full disk", `"$0" "$1" > /dev/full`],
    ["a file that becomes too large", `ulimit -f 64; trap '' XFSZ; "$0" "$1" > "$2"`],
  ] as const) {
    test.skipIf(notOnLinux)(`${name} is reported in a sentence`, () => {
      const path = join(makeTempDir(), "out");
      const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, CHILD, path], { encoding: "utf8" });
      assert.equal(status, 1, stderr);
      assert.match(stderr, /No space left on device: output is incomplete\. Free some space/);
    });
  }

  test("a slow reader gets all of it, although the process exits at once", async () => {
    const child = spawn(process.execPath, [CHILD], { stdio: ["ignore", "pipe", "inherit"] });
    const pieces: Buffer[] = [];
    for await (const piece of child.stdout) {
      pieces.push(Buffer.from(piece));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    assert.equal(Buffer.concat(pieces).toString("utf8"), `begin\n${LONG}end`);
  });

  test("a reader that closed the pipe is reported as such", () => {
    const { stderr } = spawnSync("sh", ["-c", `"$0" "$1" | true`, process.execPath, CHILD], { encoding: "utf8" });
    assert.equal(stderr.trim(), "ClosedOutput");
  });
});
