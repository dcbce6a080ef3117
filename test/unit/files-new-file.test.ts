import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { writeNewFile } from "../../src/transcript/files/new-file.ts";
import { nodeFileSystem } from "../../src/transcript/files/node-file-system.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const data = Buffer.from("the whole text");

describe("writeNewFile", () => {
  test("creates folder and file, and leaves nothing else", async () => {
    const folder = join(makeTempDir(), "a", "b");
    assert.equal(await writeNewFile(nodeFileSystem, join(folder, "file"), data), "written");
    assert.deepEqual(fs.readdirSync(folder), ["file"]);
    assert.deepEqual(fs.readFileSync(join(folder, "file")), data);
    if (process.platform !== "win32") assert.equal(fs.statSync(join(folder, "file")).mode & 0o777, 0o600);
  });

  test("does not change an existing file", async () => {
    const folder = makeTempDir();
    fs.writeFileSync(join(folder, "file"), "older");
    assert.equal(await writeNewFile(nodeFileSystem, join(folder, "file"), data), "exists");
    assert.equal(fs.readFileSync(join(folder, "file"), "utf8"), "older");
    assert.deepEqual(fs.readdirSync(folder), ["file"]);
  });

  for (const links of [true, false]) {
    test(`of many writers one writes (${links ? "with" : "without"} hard links)`, async () => {
      const folder = makeTempDir();
      const system = links ? nodeFileSystem : withoutLinks();
      const path = join(folder, "file");
      const texts = Array.from({ length: 20 }, (_, n) => Buffer.from(`${n}`.repeat(1000)));
      const results = await Promise.all(texts.map((text) => writeNewFile(system, path, text)));
      assert.equal(results.filter((result) => result === "written").length, 1);
      assert.deepEqual(fs.readFileSync(path), texts[results.indexOf("written")]);
      assert.deepEqual(fs.readdirSync(folder), ["file"]);
    });

    test(`survives the failure of any call (${links ? "with" : "without"} hard links)`, async () => {
      for (let nth = 1; ; nth += 1) {
        const folder = makeTempDir();
        const faulty = new FaultyFileSystem(links ? nodeFileSystem : withoutLinks(), {
          nth,
          code: "EIO",
        });
        assert.equal(await writeNewFile(faulty, join(folder, "sub", "file"), data), "written", `call ${nth}`);
        assert.deepEqual(fs.readFileSync(join(folder, "sub", "file")), data);
        if (faulty.faults === 0) break;
      }
    });
  }

  test("gives up after three tries with the system's error, and leaves no partial file", async () => {
    const folder = makeTempDir();
    const faulty = new FaultyFileSystem(nodeFileSystem, {
      nth: 1,
      times: Infinity,
      how: "after",
      code: "ENOSPC",
      only: ["writeNew"],
    });
    await assert.rejects(writeNewFile(faulty, join(folder, "file"), data), { code: "ENOSPC" });
    assert.equal(faulty.calls.filter((name) => name === "writeNew").length, 3);
    assert.deepEqual(fs.readdirSync(folder), []);
  });
});

function withoutLinks(): typeof nodeFileSystem {
  const refuse = () => Promise.reject(Object.assign(new Error("no links here"), { code: "EPERM" }));
  return { ...nodeFileSystem, link: refuse };
}
