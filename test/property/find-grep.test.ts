import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { sessionRef } from "../../src/places/session-ref.ts";
import { lettersOf, mayHaveTerms } from "../../src/queries/byte-filter.ts";
import { search, type SearchHit } from "../../src/search/search.ts";
import { storableText } from "../../src/store/storable.ts";
import type { Store } from "../../src/store/store.ts";
import { afterAll, describe, runs, test } from "../support/runner.ts";
import { enter } from "../support/search/filled-store.ts";
import { sqlite, withStore } from "../support/store/backends.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";

afterAll(removeTempDirs);
const file = join(makeTempDir(), "session.jsonl");

const piece = fc.constantFrom(
  ..."aAkKsSßẞéÉ1 你😀\"\\/\n\t\u0000\u001b[]{}:,.-_'<>&",
  "\u212a",
  "\u017f",
  "\ud800",
  "\ufffd",
  "image",
  "tool reference",
  "needle",
  "Error: ",
  "type",
  "\\n",
  "\\u0041",
);
const text = fc.string({ unit: piece, maxLength: 12 });

type Block = Record<string, unknown>;

const inputValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3 }),
  ),
})).value;
/** Calls and results of a session. */
interface Calls {
  ids: fc.Arbitrary<string>;
  names: readonly string[];
}

/** Such that nothing is left out of the search. */
const STRANGERS: Calls = { ids: fc.uuid(), names: ["Bash", "Read", "needle"] };
/** Such that results belong to calls, some twice, and some were made by this program. */
const RELATED: Calls = {
  ids: fc.constantFrom("toolu_01a", "toolu_01b", "call_2", "né"),
  names: ["Bash", "Read", "read_session"],
};

const call = ({ ids, names }: Calls): fc.Arbitrary<Block> =>
  fc
    .record({ id: ids, name: fc.constantFrom(...names), input: inputValue })
    .map((fields) => ({ type: "tool_use", ...fields }));
const resultPart = fc.oneof(
  text.map((each): unknown => ({ type: "text", text: each })),
  fc.constant({ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }),
  fc.constant({ type: "tool_reference", tool_name: "Read" }),
  fc.dictionary(fc.constantFrom("kind", "note"), text),
);
const resultContent = fc.oneof(text, fc.array(resultPart, { maxLength: 3 }), fc.constant(null));

const answer = (calls: Calls) =>
  fc
    .oneof(
      text.map((each): Block[] => [{ type: "text", text: each }]),
      text.map((each): Block[] => [{ type: "thinking", thinking: each, signature: "needle" }]),
      fc.array(call(calls), { minLength: 1, maxLength: 2 }),
    )
    .map((content) => ({ type: "assistant", message: { content } }));
const question = fc
  .oneof(
    text,
    text.map((each) => [{ type: "text", text: each }]),
  )
  .map((content) => ({ type: "user", message: { content } }));
const result = ({ ids }: Calls) =>
  fc.tuple(ids, resultContent).map(([id, content]) => ({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: id, content }] },
  }));
const other = fc.oneof(
  text.map((each) => ({ type: "summary", summary: each, leafUuid: "needle" })),
  text.map((each) => ({ type: "system", content: each })),
  text.map((each) => ({ type: "progress", data: { message: each }, needle: each })),
);
const record = (calls: Calls) => fc.oneof(answer(calls), question, result(calls), other);

/** Encodes a value as JSON. `escapes` decides which characters are written as `\u` escapes, as JSON allows for any. */
function written(value: unknown, escapes: (character: string) => boolean): string {
  return JSON.stringify(value, null, 0).replaceAll(/\\u[\da-f]{4}|\\.|[^\\]/gsu, (unit) => {
    if (unit.length > 1 && unit.startsWith("\\")) return unit;
    if (/["{}[\]:,\-\d\\]/.test(unit) || !escapes(unit)) return unit;
    return Array.from(
      { length: unit.length },
      (_, at) => `\\u${unit.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join("");
  });
}

/** Encodes a line of a session, with escapes within its strings: JSON allows them nowhere else. */
function line(fields: object, escapes: (character: string) => boolean): string {
  const whole = JSON.stringify({ sessionId: "s", timestamp: "2025-01-01T00:00:00Z", ...fields });
  return whole.replaceAll(/"(?:[^"\\]|\\.)*"/gs, (quoted) => {
    const inner: unknown = JSON.parse(quoted);
    return written(inner, escapes);
  });
}

/** The places of a term by line, found in the plainest way. */
function naive(
  records: readonly { type: string; summary?: string; content?: string; message?: { content: unknown } }[],
  term: string,
): unknown[] {
  const pattern = new RegExp(storableText(term).replaceAll(/[\^$\\.*+?()[\]{}|/]/g, String.raw`\$&`), "giu");
  const count = (texts: readonly string[]): number =>
    texts.reduce((sum, each) => sum + (storableText(each).match(pattern)?.length ?? 0), 0);
  return records.flatMap((each, index) => {
    if (each.type === "progress") return [];
    const content = each.summary ?? each.content ?? each.message?.content;
    const blocks = Array.isArray(content) ? content : [{ type: "text", text: content }];
    return blocks.flatMap((block: Block) => {
      const found = count(textsOf(block));
      return found === 0 ? [] : [[index + 1, block["type"], found]];
    });
  });
}

function textsOf(block: Block): string[] {
  if (block["type"] === "tool_use") return [...strings(block["name"]), ...inputTexts(block["input"], true)];
  if (block["type"] === "tool_result") return resultTexts(block["content"]);
  return strings([block["text"], block["thinking"]]);
}

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}

/** Numbers too, and names of fields below the top. */
function inputTexts(value: unknown, isTop: boolean): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [
    ...(isTop || Array.isArray(value) ? [] : [name]),
    ...inputTexts(item, false),
  ]);
}

/** One text for the whole result, as the parser makes it. */
function resultTexts(content: unknown): string[] {
  if (!Array.isArray(content)) return strings(content);
  const parts = content.map((part: Record<string, unknown>) => {
    if (typeof part["text"] === "string") return part["text"];
    if (part["type"] === "image") return "[image image/png]";
    return part["type"] === "tool_reference" ? "[tool reference Read]" : JSON.stringify(part);
  });
  return [parts.join("\n")];
}

/** Searches the store for a term in this session alone. */
async function hitsOf(store: Store, text: string | Uint8Array, term: string): Promise<SearchHit[]> {
  await enter(store, "s", text);
  const { hits } = await search(store, { term, exact: true, limit: Infinity });
  await store.forgetSessions(["s"], []);
  return hits.toSorted((a, b) => a.ordinal - b.ordinal);
}

/** Some text of the session, or any. */
const session = (calls: Calls) =>
  fc.array(record(calls), { minLength: 1, maxLength: 8 }).chain((records) => {
    const texts = records.flatMap((each) => strings(Object.values(each))).filter((each) => each !== "");
    const fromText = fc.constantFrom("needle", ...texts).chain((whole) => {
      const units = Array.from(whole);
      return fc
        .tuple(fc.nat(units.length - 1), fc.integer({ min: 1, max: 6 }))
        .map(([at, length]) => units.slice(at, at + length).join(""));
    });
    const term = fc.oneof(
      fromText,
      text.filter((each) => each !== ""),
      fc.constantFrom("image i", "[image", "e R", 'kind":"', "tool reference"),
    );
    return fc.tuple(fc.constant(records), term);
  });

describe("a search of the store", () => {
  test("finds the same as reading every file, however its JSON is written", async () => {
    const escaping = fc.oneof(fc.constant(""), fc.constant("all"), fc.constant("non-ascii"));
    await withStore(sqlite, (store) =>
      fc.assert(
        fc.asyncProperty(session(STRANGERS), escaping, async ([records, term], how) => {
          const escapes = (character: string): boolean =>
            how === "all" || (how === "non-ascii" && character > "\u007f");
          const whole = records.map((each) => `${line(each, escapes)}\n`).join("");
          const found = (await hitsOf(store, whole, term)).map(({ line_number, block_type, match_count }) => [
            line_number,
            block_type,
            match_count,
          ]);
          assert.deepEqual(found, naive(records, term), `${JSON.stringify(term)} in ${whole}`);
        }),
        { numRuns: runs(1_000) },
      ),
    );
  });

  test("the byte filter skips no file with a hit, however its JSON is written", async () => {
    const escaping = fc.constantFrom("", "all", "non-ascii");
    const bytes = session(RELATED).chain(([records, term]) =>
      fc.record({
        term: fc.constant(term),
        how: escaping,
        records: fc.constant(records),
        damage: fc.option(fc.tuple(fc.nat(400), fc.constantFrom(0, 0xff, 0x0a, 0x22, 0x5c)), { freq: 2 }),
      }),
    );
    let passedOver = 0;
    await withStore(sqlite, (store) =>
      fc.assert(
        fc.asyncProperty(bytes, async ({ records, term, how, damage }) => {
          const escapes = (character: string): boolean =>
            how === "all" || (how === "non-ascii" && character > "\u007f");
          const whole = Buffer.from(records.map((each) => `${line(each, escapes)}\n`).join(""));
          const [at, byte] = damage ?? [0];
          const text =
            byte === undefined
              ? whole
              : Buffer.concat([whole.subarray(0, at), Buffer.from([byte]), whole.subarray(at)]);
          writeFileSync(file, text);
          const ref = sessionRef({
            id: "s",
            place: "claude-code",
            agent: "claude-code",
            path: file,
            bytes: text.length,
          });
          for (const each of [term, `${term} absent`, lettersOf(term) ?? "absent"]) {
            if (mayHaveTerms(ref, [each], 1)) continue;
            passedOver += 1;
            const hits = await hitsOf(store, text, each);
            assert.deepEqual(hits, [], `${JSON.stringify(each)} in ${text.toString()}`);
          }
        }),
        { numRuns: runs(2_000) },
      ),
    );
    assert.ok(passedOver > runs(500), `only ${passedOver} files were passed over`);
  });
});
