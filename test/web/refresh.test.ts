/** The store of a running server. */
import assert from "node:assert/strict";
import { Refresh } from "../../src/web/refresh.ts";
import { openStoreInMemory } from "../../src/store/open-store.ts";
import { says, SESSION, user } from "../support/cli/claude-lines.ts";
import { sampleMachine } from "../support/cli/sample-machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

describe("a server with many new sessions", () => {
  test("shows some of them before it has read all", async () => {
    const machine = await sampleMachine();
    for (let at = 100; at < 250; at += 1) {
      const id = SESSION.replace(/.{3}$/, String(at));
      machine.write(
        `.claude/projects/-work-shop/${id}.jsonl`,
        `${user("Go", at)}${says("Yes", at)}`.replaceAll(SESSION, id),
      );
    }
    const where = { env: machine.env, home: machine.home, cwd: machine.home };
    const store = await openStoreInMemory(where);
    const { signal } = new AbortController();
    const seen: [revision: number, sessions: number][] = [];
    const refresh = new Refresh({ store, where, signal, onError: (error) => assert.fail(String(error)) });
    const look = setInterval(() => {
      void store.marks().then((marks) => seen.push([refresh.revision, marks.length]));
    }, 1);
    try {
      await refresh.complete();
    } finally {
      clearInterval(look);
    }
    const all = (await store.marks()).length;
    assert.ok(
      seen.some(([revision, sessions]) => revision > 0 && sessions < all),
      JSON.stringify(seen),
    );
    await store.close();
  });
});
