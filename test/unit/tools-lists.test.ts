/** list_sessions and list_errors: newest first, on pages that neither repeat nor skip, within the budget. */
import assert from "node:assert/strict";
import { appendFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { at as timeOf, calls, result, says, storeSession, user } from "../support/cli/claude-lines.ts";
import { sharedRedactor } from "../../src/redact/redactor.ts";
import { textOf } from "../../src/tools/find-in-transcripts/find-cursor.ts";
import { shortHash } from "../../src/tools/page-of.ts";
import { randomSecret } from "../support/parse/secret.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { machineAt, tokensOf, type Machine } from "../support/tools/tool-calls.ts";

afterAll(removeTempDirs);

const SESSIONS = 9;

function idOf(at: number): string {
  return `${String(at).repeat(8)}-2222-4333-8444-555555555555`;
}

/** In session `at` things were said `at` times ten minutes ago, whatever the time of its file; it has `at` failed calls. */
function machine(): Machine & { paths: string[] } {
  const home = makeTempDir();
  const paths = Array.from({ length: SESSIONS }, (_, at) => {
    const failures = Array.from(
      { length: at },
      (_, n) =>
        calls(n % 2 === 0 ? "Bash" : "Edit", `toolu_${at}_${n}`, { command: `try ${at} ${n}` }, n - at * 600) +
        result(`toolu_${at}_${n}`, `failure ${at} ${n}: ${"why ".repeat(n * 40)}`, n - at * 600, true),
    );
    const path = storeSession(home, user(`prompt ${at}`, -at * 600) + failures.join("") + says("end", 90 - at * 600), {
      id: idOf(at),
      project: at < 5 ? "-work-shop" : "-work-lake",
    });
    const time = new Date(Date.UTC(2026, 0, 5, 10) + at * 60_000);
    utimesSync(path, time, time);
    return path;
  });
  return { ...machineAt(home), paths };
}

const listShape = z.object({
  sessions: z.array(z.looseObject({ session_id: z.string() })).optional(),
  errors: z.array(z.looseObject({ session_id: z.string(), error: z.string(), line_number: z.number() })).optional(),
  next_cursor: z.string().nullable(),
  has_more: z.boolean(),
});
type List = z.infer<typeof listShape>;

async function pages(
  made: Machine,
  tool: string,
  args: Record<string, unknown>,
  between = (): void => undefined,
): Promise<List[]> {
  const all: List[] = [];
  for (let cursor: string | null = null; ;) {
    const answer = await made.call(tool, cursor === null ? args : { ...args, cursor });
    assert(!answer.isError, answer.text);
    if (typeof args["max_tokens"] === "number")
      assert(tokensOf(answer) <= args["max_tokens"], String(tokensOf(answer)));
    const list: List = listShape.parse(answer.data);
    all.push(list);
    if (!list.has_more) return all;
    assert.notEqual(list.next_cursor, cursor);
    cursor = list.next_cursor;
    between();
  }
}

describe("list_sessions", () => {
  test("lists the newest first, each once, though some are written to meanwhile", async () => {
    const made = machine();
    const ids = Array.from({ length: SESSIONS }, (_, at) => idOf(at));
    const listed = (all: readonly List[]): string[] =>
      all.flatMap(({ sessions = [] }) => sessions.map((row) => row.session_id));
    assert.deepEqual(listed(await pages(made, "list_sessions", {})), ids);
    assert.deepEqual(listed(await pages(made, "list_sessions", { limit: 2 })), ids);
    const touched = await pages(made, "list_sessions", { limit: 4 }, () =>
      appendFileSync(made.paths[1] ?? "", says("more", 99)),
    );
    assert.deepEqual(listed(touched), ids);
    assert.deepEqual(listed(await pages(made, "list_sessions", { project: "lake" })), ids.slice(5));
  });

  test("what does not fit is on the next page", async () => {
    const home = makeTempDir();
    const ids = Array.from({ length: 150 }, (_, at) => `${String(at).padStart(8, "0")}-2222-4333-8444-555555555555`);
    for (const [at, id] of ids.entries()) {
      storeSession(home, user(`prompt ${"päng ".repeat(40)}`, -at * 60), { id });
    }
    const made = machineAt(home);
    const first = await made.call("list_sessions", { limit: 200 });
    assert(tokensOf(first) < 8_300, String(tokensOf(first)));
    const all = await pages(made, "list_sessions", { limit: 200 });
    assert(all.length > 1);
    assert.deepEqual(
      all.flatMap(({ sessions = [] }) => sessions.map((row) => row.session_id)),
      ids,
    );
  });

  test("goes on after a session before 1970 or of a far future", async () => {
    const home = makeTempDir();
    const dates = [
      "+200000-01-01T00:00:00.000Z",
      "2026-01-05T10:00:00.000Z",
      "1960-05-01T00:00:00.000Z",
      "0001-01-01T00:00:00.000Z",
    ];
    const ids = dates.map((_, at) => idOf(at));
    for (const [at, date] of dates.entries()) {
      const lines = user("A walrus?", 0) + calls("Bash", "toolu_1", {}, 0) + result("toolu_1", "no walrus", 0, true);
      storeSession(home, lines.replaceAll(timeOf(0), date), { id: idOf(at) });
    }
    const made = machineAt(home);
    const listed = await pages(made, "list_sessions", { limit: 1 });
    assert.deepEqual(
      listed.flatMap(({ sessions = [] }) => sessions.map((row) => row.session_id)),
      ids,
    );
    const failed = await pages(made, "list_errors", { limit: 1 });
    assert.deepEqual(
      failed.flatMap(({ errors = [] }) => errors.map((row) => row.session_id)),
      ids,
    );
  });

  test("says of each what it was, and how to go on", async () => {
    const { text } = await machine().call("list_sessions", { limit: 3 });
    assert.match(text, /^3 of 9 sessions, newest first/);
    assert.match(text, /^- 22222222-\S+ {2}2026-01-05 09:41 {2}shop: "prompt 2" {2}1 turn, 2 calls, 2 failed$/m);
    assert.match(text, /^More: cursor "/m);
  });

  test("keeps the figures, so that the next list reads only what changed", async () => {
    const home = makeTempDir();
    const path = storeSession(home, user("A walrus?", 1) + says("No walrus.", 2));
    const time = new Date("2026-02-01T00:00:00Z");
    utimesSync(path, time, time);
    const made = machineAt(home);
    const listed = async (): Promise<unknown> => (await made.call("list_sessions", {})).data;
    const first = await listed();
    assert.match(JSON.stringify(first), /A walrus\?/);
    // From now on the file says nothing, but has the size and the time that it had.
    writeFileSync(path, " ".repeat(statSync(path).size));
    utimesSync(path, time, time);
    assert.deepEqual(await listed(), first);
    await made.close();
  });

  test("refuses a cursor of another list", async () => {
    const made = machine();
    const { data } = await made.call("list_sessions", { limit: 2 });
    const other = await made.call("list_sessions", { limit: 2, project: "shop", cursor: data["next_cursor"] });
    assert.match(other.text, /cursor: it was made with other arguments/);
    assert.match((await made.call("list_sessions", { cursor: "x" })).text, /cursor: not a cursor of this tool/);
  });
});

describe("list_errors", () => {
  const names = (all: readonly List[]): string[] =>
    all.flatMap(({ errors = [] }) => errors.map(({ error }) => error.split(":", 1)[0] ?? ""));
  const expected = Array.from({ length: SESSIONS }, (_, at) =>
    Array.from({ length: at }, (_, n) => `failure ${at} ${at - 1 - n}`),
  ).flat();

  test("lists the newest first, each once, on pages of any size", async () => {
    const made = machine();
    assert.deepEqual(names(await pages(made, "list_errors", { limit: 200, max_tokens: 50_000 })), expected);
    for (const paged of [
      { limit: 3 },
      { limit: 100, max_tokens: 1_500 },
      { limit: 4, max_tokens: 4_000, fixes: true },
    ]) {
      assert.deepEqual(names(await pages(made, "list_errors", paged)), expected, JSON.stringify(paged));
    }
    const small = await pages(made, "list_errors", { max_tokens: 800, limit: 200 });
    assert.deepEqual(names(small), expected);
  }, 60_000);

  test("goes on where a page ended though the session that it ended in grows", async () => {
    const made = machine();
    let n = 0;
    const grown = await pages(made, "list_errors", { limit: 5 }, () => {
      n += 1;
      appendFileSync(
        made.paths[3] ?? "",
        calls("Bash", `late_${n}`, {}, 99) + result(`late_${n}`, "late: x", 99, true),
      );
    });
    const known = names(grown).filter((name) => name !== "late");
    assert.deepEqual(known.toSorted(), expected.toSorted());
    assert.equal(new Set(known).size, known.length);
  });

  test("filters by session, tool, project and time, and cites each", async () => {
    const made = machine();
    assert.deepEqual(names(await pages(made, "list_errors", { session: idOf(3) })), [
      "failure 3 2",
      "failure 3 1",
      "failure 3 0",
    ]);
    assert.deepEqual(names(await pages(made, "list_errors", { session: idOf(3), tool: "edit" })), ["failure 3 1"]);
    assert.equal(names(await pages(made, "list_errors", { project: "shop", limit: 200 })).length, 10);
    assert.deepEqual(names(await pages(made, "list_errors", { session: idOf(2), since: "2026-01-05T09:40:01Z" })), [
      "failure 2 1",
    ]);
    const { text } = await made.call("list_errors", { session: idOf(1) });
    assert.match(text, new RegExp(`^Session ${idOf(1)}  .*\\.jsonl$`, "m"));
    assert.match(text, /^\[3\] Bash, 2026-01-05 09:50:00, called on line 2$/m);
  });

  test("shows what fixed a failure, without secrets", async () => {
    const secret = randomSecret();
    const home = makeTempDir();
    storeSession(
      home,
      user("go", 0) +
        calls("Bash", "a", { command: `deploy --key ${secret} --to prod` }, 1) +
        result("a", `Exit code 1\nbad key ${secret}`, 2, true) +
        says("The target has another name.", 3) +
        calls("Bash", "b", { command: `deploy --key ${secret} --to production` }, 4) +
        result("b", "done", 5),
    );
    const { text, data } = await machineAt(home).call("list_errors", { fixes: true });
    assert(!text.includes(secret) && !JSON.stringify(data).includes(secret));
    assert.match(text, /Said: The target has another name\.\nFixed on line 5 by Bash, changed:\n[^]*production/);
  });

  test("says that there is none", async () => {
    assert.match(
      (await machine().call("list_errors", { tool: "nope" })).text,
      /^No failed call matches\.\n.*looked at 9 sessions/,
    );
  });
});

test("no cursor looks like a token, since answers are redacted", async () => {
  const { signal } = new AbortController();
  const now = new Date(1_795_525_792_028);
  const cursors = Array.from({ length: 200_000 }, (_, at) => {
    const id = shortHash(`session ${at}`, 8);
    const shown = [id.slice(0, 4), id.slice(4)];
    const scan = { firstMs: now.getTime(), timeMs: now.getTime() - at, id, passed: at, required: 1, shown };
    const place = { isIndexed: false, now, named: "", passed: at, scan };
    return { text: JSON.stringify({ next_cursor: textOf(place, { term: `word ${at}`, match: "phrase", signal }) }) };
  });
  const redacted = await sharedRedactor().redact(cursors);
  assert.deepEqual(
    redacted.map(({ text }) => text),
    cursors.map(({ text }) => text),
  );
});
