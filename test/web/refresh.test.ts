/** The store of a running server. */
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Clock } from "../../src/render/html/view.ts";
import { Refresh } from "../../src/web/refresh.ts";
import { createSite } from "../../src/web/site.ts";
import { SiteData } from "../../src/web/site-data.ts";
import { openStoreInMemory } from "../../src/store/open-store.ts";
import { says, SESSION, user } from "../support/cli/claude-lines.ts";
import { MAIN, sampleMachine } from "../support/cli/sample-machine.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** Looks for no new sessions by itself. */
class Still extends Refresh {
  override begin(): void {
    this.progress = "";
  }
}

describe("an open list", () => {
  test("follows a session that was brought up to date for its own page", async () => {
    const machine = await sampleMachine();
    const where = { env: machine.env, home: machine.home, cwd: machine.home };
    const store = await openStoreInMemory(where);
    const { signal } = new AbortController();
    const refresh = new Still({ store, where, signal, onError: (error) => assert.fail(String(error)) });
    await refresh.complete();
    const data = new SiteData({ store, where, signal, timeZone: "UTC", now: () => new Date() });
    const place = { clock: new Clock("UTC"), isTeam: false };
    const site = createSite({ data, place, script: async () => "", live: { formToken: "", refresh } });
    const query = new URLSearchParams();
    const stamp = async (): Promise<string | undefined> => {
      let html = "";
      const page = await site.page("index.html", query, signal);
      await page?.content(async (piece) => void (html += piece));
      return /data-live="([^"]*)"/.exec(html)?.[1];
    };
    const before = await stamp();
    assert.equal(await stamp(), before);
    appendFileSync(join(machine.home, `.claude/projects/-work-shop/${MAIN}.jsonl`), user("One more", 900));
    await site.page(`sessions/${MAIN}/index.html`, query, signal);
    assert.notEqual(await stamp(), before);
    await store.close();
  });
});

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
