import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { sessionBytes } from "../../src/places/session-bytes.ts";
import { resolveSession } from "../../src/sessions/resolve-session.ts";
import { sessionRef, type Where } from "../../src/places/session-ref.ts";
import { afterAll, describe, runs, test } from "../support/runner.ts";
import { makeTempDir, removeTempDirs } from "../support/temp-dir.ts";
import { isSessionError } from "../../src/transcripts-error.ts";

afterAll(removeTempDirs);

/** Names of one path segment that a file system takes, strange ones too. */
const segment = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
    fc.constantFrom("subagents", "agent-a", "-p", "..."),
  )
  .map((name) => name.replaceAll(/[/\0]/g, "_"))
  .filter((name) => name !== "." && name !== ".." && name.isWellFormed());

const SAID = `${JSON.stringify({ type: "user", sessionId: "s", message: { role: "user", content: "hello" } })}\n`;

function whereOf(files: readonly string[]): Where {
  const root = makeTempDir();
  for (const path of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), SAID);
  }
  return { env: {}, home: root, cwd: root, roots: [{ agent: "claude-code", path: root }] };
}

describe("finding", () => {
  test("finds every session file once, whatever its name", async () => {
    const paths = fc.uniqueArray(
      fc
        .tuple(fc.array(segment, { maxLength: 3 }), segment)
        .map(([folders, name]) => [...folders, `${name}.jsonl`].join("/")),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(paths, async (files) => {
        // One name cannot be a file and a folder.
        const possible = files.filter((path) => !files.some((other) => other.startsWith(`${path}/`)));
        const where = whereOf(possible);
        const { sessions, unreadable } = await findSessions(where);
        const named = possible.filter(
          (path) =>
            !path
              .split("/")
              .slice(0, -1)
              .some((folder) => folder.endsWith(".jsonl")),
        );
        // Beside subagents there are other files, which are no sessions.
        const isSession = (path: string): boolean =>
          path.split("/").lastIndexOf("subagents", -2) <= 0 || basename(path).startsWith("agent-");
        assert.deepEqual(
          sessions.map(({ path }) => path ?? "").toSorted(),
          named
            .filter(isSession)
            .map((path) => join(where.home, path))
            .toSorted(),
        );
        assert.equal(unreadable.length === 0, named.length === possible.length);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe("resolving", () => {
  const id = fc.string({ unit: fc.constantFrom("a", "b", "-"), minLength: 4, maxLength: 9 });

  test("a text names one session, several candidates, or none", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(id, { minLength: 1, maxLength: 8 }), id, async (ids, text) => {
        const where = whereOf(ids.map((each) => `p/${each}.jsonl`));
        const exact = ids.filter((each) => each === text);
        const expected = exact.length > 0 ? exact : ids.filter((each) => each.startsWith(text));
        assert.deepEqual((await meant(text, where)).toSorted(), expected.toSorted());
      }),
      { numRuns: runs(100) },
    );
  });

  test("throws nothing but a TranscriptsError, for any text", async () => {
    const where = whereOf(["p/aaaa.jsonl", "p/aaab.jsonl"]);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 300 }), async (text) => void (await meant(text, where))),
    );
  });

  async function meant(text: string, where: Where): Promise<string[]> {
    try {
      return [(await resolveSession(text, where)).id];
    } catch (error) {
      assert.ok(isSessionError(error), String(error));
      assert.equal(error.code === "ambiguous", error.candidates.length > 1);
      return error.candidates.map((ref) => ref.id);
    }
  }
});

test("a file equals its chunks, of any size", async () => {
  const path = join(makeTempDir(), "s.jsonl");
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 64 }), async (bytes, chunkBytes) => {
      writeFileSync(path, bytes);
      const chunks: Uint8Array[] = [];
      const ref = sessionRef({ id: "s", place: "file", agent: null, path, bytes: bytes.length });
      for await (const chunk of sessionBytes(ref, { chunkBytes })) chunks.push(chunk);
      assert.ok(chunks.every((chunk) => chunk.length > 0 && chunk.length <= chunkBytes));
      assert.deepEqual(Buffer.concat(chunks), Buffer.from(bytes));
    }),
  );
});
