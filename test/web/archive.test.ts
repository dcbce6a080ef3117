/** Files of the archive: only what changed is written, and nothing of others is touched. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ArchivedPage, type ArchiveReport, writeArchive } from "../../src/web/archive-writer.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

const page = (path: string, version: string): ArchivedPage => ({
  path,
  version,
  async content(write) {
    await write(`<p>${path} `);
    await write(`${version}</p>`);
  },
});

async function* these(...pages: readonly ArchivedPage[]): AsyncGenerator<ArchivedPage> {
  yield* pages;
}

const { signal } = new AbortController();
const write = (folder: string, ...pages: readonly ArchivedPage[]): Promise<ArchiveReport> =>
  writeArchive(folder, these(...pages), { signal });
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .toSorted();

afterAll(removeTempDirs);

describe("an archive", () => {
  test("writes what is new or changed, and removes what is no longer wanted", async () => {
    const folder = join(makeTempDir(), "archive");
    assert.deepEqual(
      await write(
        folder,
        page("index.html", "1"),
        page("sessions/a/index.html", "1"),
        page("sessions/b/index.html", "1"),
      ),
      {
        written: 3,
        unchanged: 0,
        removed: 0,
      },
    );
    const before = statSync(join(folder, "sessions/a/index.html")).mtimeMs;
    assert.deepEqual(await write(folder, page("index.html", "2"), page("sessions/a/index.html", "1")), {
      written: 1,
      unchanged: 1,
      removed: 1,
    });
    assert.deepEqual(filesIn(folder), ["archive.json", "index.html", "sessions/a/index.html"]);
    assert.equal(existsSync(join(folder, "sessions/b")), false);
    assert.equal(statSync(join(folder, "sessions/a/index.html")).mtimeMs, before);
    assert.equal(readFileSync(join(folder, "index.html"), "utf8"), "<p>index.html 2</p>");
  });

  test("with nothing new writes nothing", async () => {
    const folder = join(makeTempDir(), "archive");
    await write(folder, page("index.html", "1"));
    const before = statSync(join(folder, "archive.json")).mtimeMs;
    assert.deepEqual(await write(folder, page("index.html", "1")), { written: 0, unchanged: 1, removed: 0 });
    assert.equal(statSync(join(folder, "archive.json")).mtimeMs, before);
  });

  test("a page whose version changed, and whose content did not, is not written", async () => {
    const folder = join(makeTempDir(), "archive");
    const same = (version: string): ArchivedPage => ({ ...page("index.html", "1"), version });
    await write(folder, same("1"));
    const before = statSync(join(folder, "index.html")).mtimeMs;
    assert.deepEqual(await write(folder, same("2")), { written: 0, unchanged: 1, removed: 0 });
    assert.equal(statSync(join(folder, "index.html")).mtimeMs, before);
  });

  test("two runs write the same bytes, in whatever order the pages come", async () => {
    const [one, other] = [join(makeTempDir(), "a"), join(makeTempDir(), "a")];
    await write(one, page("a.html", "1"), page("b.html", "1"));
    await write(other, page("b.html", "1"), page("a.html", "1"));
    for (const name of filesIn(one)) assert.deepEqual(readFileSync(join(one, name)), readFileSync(join(other, name)));
  });

  test("a run that was ended is continued by the next", async () => {
    const folder = join(makeTempDir(), "archive");
    const many = Array.from({ length: 1_200 }, (_, at) => page(`sessions/${at}/index.html`, "1"));
    const failing = async function* (): AsyncGenerator<ArchivedPage> {
      yield* many.slice(0, 700);
      throw new Error("killed");
    };
    await assert.rejects(writeArchive(folder, failing(), { signal }), /killed/);
    const report = await write(folder, ...many);
    assert.ok(report.unchanged >= 500, `${report.unchanged} were kept`);
    assert.equal(report.unchanged + report.written, many.length);
    assert.equal(filesIn(folder).length, many.length + 1);
  });

  test("a folder with other files is refused, and files beside the pages stay", async () => {
    const folder = makeTempDir();
    writeFileSync(join(folder, "notes.txt"), "mine");
    await assert.rejects(write(folder, page("index.html", "1")), /is not an archive/);
    assert.deepEqual(filesIn(folder), ["notes.txt"]);

    const archive = join(makeTempDir(), "archive");
    await write(archive, page("sessions/a/index.html", "1"));
    writeFileSync(join(archive, "sessions/a/mine.txt"), "mine");
    await write(archive);
    assert.deepEqual(filesIn(archive), ["archive.json", "sessions/a/mine.txt"]);
  });
});
