import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFileSystem } from "../../src/transcript/files/node-file-system.ts";
import { writeNewFile } from "../../src/transcript/files/new-file.ts";
import { slugOf, writeNumbered } from "../../src/tools/save-conversation/numbered-file.ts";
import { PlayedSession } from "../support/played-session.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { startSaving } from "../support/saving.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const CHILD = fileURLToPath(new URL("../support/save-child.ts", import.meta.url));
const NOW = new Date(2026, 0, 5, 12);

function numbered(folder: string, slug = "x"): Promise<string> {
  const writeNew = (path: string, data: Uint8Array) => writeNewFile(nodeFileSystem, path, data);
  return writeNumbered(folder, slug, slug, { fs: nodeFileSystem, writeNew });
}

function numbersOf(names: readonly string[]): number[] {
  return names.map((name) => Number(name.slice(0, 3))).toSorted((a, b) => a - b);
}

describe("the numbers of saved sessions", () => {
  afterAll(removeTempDirs);

  for (const count of [2, 10]) {
    test(`${count} saves at once get different ones`, async () => {
      const dataFolder = join(makeTempDir(), ".openfleet");
      const saving = startSaving({ dataFolder, now: () => NOW });
      await saving.record(new PlayedSession("ses_a").user("Hello").answer("Hi.").idle().records);
      const saved = await Promise.all(Array.from({ length: count }, () => saving.saved("ses_a")));
      const names = saved.map(({ path }) => basename(path));
      assert.equal(new Set(names).size, count);
      assert.deepEqual(readdirSync(join(dataFolder, "sessions", "2026-01-05")).toSorted(), names.toSorted());
      assert.equal(new Set(numbersOf(names)).size, count);
    });
  }

  test("saves of two processes at once get different ones", async () => {
    const dataFolder = join(makeTempDir(), ".openfleet");
    const [a, b] = await Promise.all([saveInChild(dataFolder, 5), saveInChild(dataFolder, 5)]);
    const names = [...a, ...b].map((path) => basename(path));
    assert.equal(names.length, 10);
    assert.equal(new Set(numbersOf(names)).size, 10);
    for (const path of [...a, ...b]) assert.match(readFileSync(path, "utf8"), /## Recall/);
  });

  test("continue after the highest, whatever else is in the folder", async () => {
    const folder = makeTempDir();
    for (const name of ["001_a.md", "007_b.md", "notes.md", "9_c.md", "abc_d.md"])
      writeFileSync(join(folder, name), "");
    assert.equal(await numbered(folder), "008_x.md");
  });

  test("have more digits after 999", async () => {
    const folder = makeTempDir();
    writeFileSync(join(folder, "999_a.md"), "");
    assert.equal(await numbered(folder), "1000_x.md");
    assert.equal(await numbered(folder), "1001_x.md");
  });

  test("are different for sessions of other titles too, although their files have other names", async () => {
    const folder = makeTempDir();
    const slugs = Array.from({ length: 12 }, (_, at) => `title-${at}`);
    const names = await Promise.all(slugs.map((slug) => numbered(folder, slug)));
    assert.equal(new Set(numbersOf(names)).size, slugs.length);
    assert.deepEqual(readdirSync(folder).toSorted(), names.toSorted(), "and nothing else is left there");
  });

  test("start over each day", async () => {
    const dataFolder = join(makeTempDir(), ".openfleet");
    let now = NOW;
    const saving = startSaving({ dataFolder, now: () => now });
    await saving.record(new PlayedSession("ses_a").user("Hello").answer("Hi.").idle().records);
    assert.match((await saving.saved("ses_a")).path, /2026-01-05[/\\]001_hello\.md$/);
    now = new Date(2026, 0, 6, 0, 0, 1);
    assert.match((await saving.saved("ses_a")).path, /2026-01-06[/\\]001_hello\.md$/);
  });

  test("a folder that cannot be listed yields no number that may be taken", async () => {
    const folder = join(makeTempDir(), "file");
    writeFileSync(folder, "");
    await assert.rejects(numbered(folder), { code: "ENOTDIR" });
  });
});

describe("the names of saved sessions", () => {
  afterAll(removeTempDirs);
  const cases: [title: string, slug: string][] = [
    ["Repair the parser", "repair-the-parser"],
    ["  What?! -- 2 things ", "what-2-things"],
    ["../../etc/passwd", "etc-passwd"],
    ["C:\\nul", "c-nul"],
    ["Straße & Ärger №5", "straße-ärger-no5"],
    ["日本語のタイトル", "日本語のタイトル"],
    ["हिन्दी", "हिन्दी"],
    ["🎉🎉", "session"],
    ["", "session"],
    ["\0\n", "session"],
  ];
  for (const [title, slug] of cases) {
    test(`${JSON.stringify(title)} becomes ${slug}`, () => assert.equal(slugOf(title), slug));
  }

  test("are short, also where a character is two units long", () => {
    assert.equal(slugOf("a ".repeat(500)).length, 59);
    const slug = slugOf(`a${"𠀀".repeat(100)}`);
    assert(slug.length <= 60 && slug.isWellFormed());
  });

  test("fit a file name in any script", async () => {
    const folder = makeTempDir();
    mkdirSync(folder, { recursive: true });
    const slug = slugOf("語".repeat(500));
    assert.equal(await numbered(folder, slug), `001_${slug}.md`);
  });
});

function saveInChild(dataFolder: string, count: number): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, dataFolder, `${count}`], { stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once("close", (code) => {
      if (code === 0) resolve(stdout.trimEnd().split("\n"));
      else reject(new Error(`the child ended with ${code}: ${stderr}`));
    });
  });
}
