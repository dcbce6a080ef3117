import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { updateIndex } from "../../src/indexing/update-index.ts";
import { foldedPattern } from "../../src/matching/folding.ts";
import type { StoredEvent } from "../../src/store/stored-model.ts";
import { TEXT_SEPARATOR } from "../../src/store/stored-model.ts";
import { INDEX_LIMITS, newStore, NO_REDACTOR } from "../support/indexing/index-fixture.ts";
import { grepSession, type GrepHit } from "../support/search/grep-session.ts";
import { sorted } from "../support/search/search-laws.ts";
import { testSessions } from "../support/parse/session-files.ts";
import { afterAll, describe } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);

/** Terms that are everywhere, terms that are rare, and some from the middle of the session itself. */
function termsFor(events: readonly StoredEvent[]): string[] {
  const texts = events.flatMap(({ content }) => content.split(TEXT_SEPARATOR)).filter((text) => text.length > 30);
  const own = [0.2, 0.5, 0.8].map((share) => texts[Math.floor(share * texts.length)] ?? "");
  return ["e", "Error", "read_session", "transcripts", ...own.map((text) => wellFormed(text.slice(11, 19)))].filter(
    (term) => term !== "",
  );
}

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}|\ufffd/gu, "");
}

type Found = Omit<GrepHit, "passage" | "matches">;

function inStore(events: readonly StoredEvent[], term: string): Found[] {
  return events
    .filter(({ is_own }) => !is_own)
    .map(({ content, ...event }) => ({
      line_number: event.line_number,
      byte_offset: event.byte_offset,
      occurred_at: event.occurred_at,
      message_type: event.message_type,
      role: event.role,
      block_type: event.block_type,
      tool_name: event.tool_name,
      tool_use_id: event.tool_use_id,
      match_count: [...content.matchAll(foldedPattern(term))].length,
    }))
    .filter(({ match_count }) => match_count > 0);
}

describe("content of the index", () => {
  testSessions("is what reading the files finds", ["claude-code", "claude-stream-json"], async (files) => {
    const home = makeTempDir();
    const where = { env: {}, home, cwd: home };
    const paths = files.map(({ path }, at) => {
      const folder = join(home, ".claude", "projects", `p${at}`);
      mkdirSync(folder, { recursive: true });
      const copy = join(folder, `${basename(path, extname(path))}.jsonl`);
      copyFileSync(path, copy);
      return copy;
    });
    const store = await newStore();
    await updateIndex(store, where, {
      redactor: NO_REDACTOR,
      limits: { ...INDEX_LIMITS, chunkBytes: 25_600 },
    });
    const sessions = await store.sessions();
    assert.equal(sessions.length, new Set(paths).size);
    let hits = 0;
    for (const { session_id, path } of sessions) {
      const events = await store.events(session_id, { from: 0, limit: 1_000_000 });
      assert.deepEqual(
        events.map(({ ordinal }) => ordinal),
        [...events.keys()],
      );
      for (const term of termsFor(events)) {
        const expected = await grepSession(readFileSync(path), { term });
        const found = expected.map(({ passage: _passage, matches: _matches, ...hit }) => hit);
        assert.deepEqual(sorted(inStore(events, term)), sorted(found), `${term} in ${path}`);
        hits += found.length;
      }
    }
    console.log(`${hits} hits in ${sessions.length} sessions`);
    await store.close();
  });
});
