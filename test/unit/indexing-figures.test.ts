/** What `transcripts index` keeps for `transcripts stats`. */
import assert from "node:assert/strict";
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { updateIndex } from "../../src/indexing/update-index.ts";
import { KEPT_SCANS, keptScan } from "../../src/scan/kept-scan.ts";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { openStore } from "../../src/store/open-store.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

describe("figures that are kept while indexing", () => {
  test("are those of the file, also after it grew", async () => {
    const home = makeTempDir();
    const project = join(home, ".claude/projects/-p");
    mkdirSync(project, { recursive: true });
    const path = join(project, "6f0c9d0e-3c5b-4f43-9e0a-8f3f7f1f2a10.jsonl");
    copyFileSync(join(REPOSITORY, "test/fixtures/sample-transcript.jsonl"), path);
    const where = { env: {}, home, cwd: home };
    const store = await openStore(where);
    const messages = async (day: number): Promise<number | undefined> => {
      // A file that was written a moment ago may be written again.
      utimesSync(path, new Date(2026, 0, day), new Date(2026, 0, day));
      await updateIndex(store, where);
      const [kept] = [...(await store.cached(KEPT_SCANS)).values()];
      assert.ok(kept !== undefined);
      const sums = await keptScan(kept.value, { ...(await fileRef(path)), source: "claude-code" });
      return sums?.stats.total_messages;
    };
    const before = await messages(1);
    assert.ok(before !== undefined && before > 0);
    const lines = readFileSync(path, "utf8").split("\n");
    const line = lines.find((each) => each.includes('"type":"user"')) ?? "";
    appendFileSync(path, `${line.replace(/"uuid":"[^"]*"/, '"uuid":"00000000-0000-4000-8000-00000000beef"')}\n`);
    assert.equal(await messages(2), before + 1);
    await store.close();
  });
});
