/** Forgotten sessions are removed from the disk, not only from the answers. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openStore, type StoreWhere } from "../../src/store/open-store.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { fillSession, madeChange, madeEvent, madeSession, madeSnippet } from "../support/store/made-rows.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

const SAID = "the marmot sleeps under the glacier";

describe("forgotten text", () => {
  const place = (): { path: string; where: StoreWhere } => {
    const path = join(makeTempDir(), "store.db");
    return { path, where: { env: { TRANSCRIPTS_DATABASE: path }, home: "/nowhere" } };
  };
  const stands = (path: string, said = SAID): boolean =>
    readdirSync(dirname(path)).some((name) => readFileSync(join(dirname(path), name)).includes(said));
  const content = `${SAID} `.repeat(40);

  test("of a session is not in the database's files any more", async () => {
    const { path, where } = place();
    const store = await openStore(where);
    const session = madeSession("s2");
    const events = Array.from({ length: 60 }, (_, at) => madeEvent(at, { session_id: "s2", content }));
    await fillSession(store, 60);
    await store.writeSession(madeChange(events, { session }));
    await store.insertSnippet(madeSnippet({ session_id: "s2", title: SAID, content }));
    assert.ok(stands(path));
    await store.forgetSessions(["s2"], []);
    assert.ok(!stands(path));
    await store.close();
    assert.ok(!stands(path));
  });

  test("of deleted snippets is not in the files any more", async () => {
    const { path, where } = place();
    const store = await openStore(where);
    await fillSession(store, 5);
    await store.insertSnippet(madeSnippet({ content, created_at: "2020-01-01T00:00:00.000Z" }));
    assert.ok(stands(path));
    assert.equal(await store.deleteSnippetsBefore(new Date("2021-01-01")), 1);
    assert.ok(!stands(path));
    await store.close();
  });

  test("of deleted snippets is not in the search index either, not even a word", async () => {
    const { path, where } = place();
    const store = await openStore(where);
    await fillSession(store, 5);
    for (let n = 0; n < 300; n++) await store.insertSnippet(madeSnippet({ content, tags: [SAID] }));
    assert.ok(stands(path, "glacier"));
    await store.forgetSessions(["s1"], []);
    for (const word of SAID.split(" ").filter(({ length }) => length > 3)) assert.ok(!stands(path, word), word);
    await store.close();
  });
});
