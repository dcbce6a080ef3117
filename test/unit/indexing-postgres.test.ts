import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { updateIndex } from "../../src/indexing/update-index.ts";
import { openStore } from "../../src/store/open-store.ts";
import { assistant, calls, result, says, user } from "../support/cli/claude-lines.ts";
import { dump, INDEX_LIMITS, inOneGo, NO_REDACTOR, SMALL } from "../support/indexing/index-fixture.ts";
import { afterAll, describe, test } from "../support/runner.ts";
import { sharedPostgresBackend } from "../support/store/postgres-suite.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { Machine } from "./sessions-machine.ts";

afterAll(removeTempDirs);
const postgres = sharedPostgresBackend();

/** Turns, of which each second has its result before its call, and the last line no end. */
function talk(session: number): string {
  const turns = Array.from({ length: 30 }, (_, turn) => {
    const id = `toolu_${session}_${turn}`;
    const call = calls(turn % 7 === 3 ? "mcp__transcripts__read_session" : "Bash", id, { command: `ls ${turn}` }, turn);
    const answer = result(id, `output ${turn}`, turn);
    return user(`question ${turn}`, turn) + (turn % 2 === 0 ? call + answer : answer + call) + says("good", turn);
  });
  return turns.join("").trimEnd();
}

describe("an index in PostgreSQL", () => {
  test("holds what one in SQLite holds, of sessions that grow and with two indexers", async () => {
    const machine = new Machine();
    const place = await postgres.newPlace();
    const [first, second] = await Promise.all([openStore(place), openStore(place)]);
    const texts = [0, 1, 2].map(talk);
    const paths = texts.map((_, at) =>
      machine.write(join(machine.claude, `p/00000000-0000-4000-8000-00000000000${at}.jsonl`), ""),
    );
    const pieces = 4;
    for (let piece = 0; piece < pieces; piece += 1) {
      for (const [at, text] of texts.entries()) {
        const step = Math.ceil(text.length / pieces);
        appendFileSync(paths[at] ?? "", text.slice(piece * step, (piece + 1) * step));
      }
      const limits = piece % 2 === 0 ? INDEX_LIMITS : SMALL;
      const reports = await Promise.all(
        [first, second].map((store) => updateIndex(store, machine.where, { redactor: NO_REDACTOR, limits })),
      );
      assert.deepEqual(
        reports.flatMap(({ unreadable }) => unreadable),
        [],
      );
    }
    assert.deepEqual(await dump(first), await inOneGo(machine.where, { redactor: NO_REDACTOR, limits: SMALL }));
    await Promise.all([first.close(), second.close()]);
  });

  test("takes several more pieces of one answer, which comes line by line", async () => {
    const machine = new Machine();
    const store = await openStore(await postgres.newPlace());
    const piece = (text: string, seconds: number): string =>
      assistant({ id: "msg_long", blocks: [{ type: "text", text }] }, seconds);
    const file = join(machine.claude, "p/00000000-0000-4000-8000-000000000000.jsonl");
    const path = machine.write(file, user("question", 1) + piece("first", 2));
    await updateIndex(store, machine.where, { redactor: NO_REDACTOR });
    appendFileSync(path, piece("second", 3) + piece("third", 4));
    const { unreadable } = await updateIndex(store, machine.where, { redactor: NO_REDACTOR });
    assert.deepEqual(unreadable, []);
    assert.deepEqual(await dump(store), await inOneGo(machine.where, { redactor: NO_REDACTOR }));
    await store.close();
  });
});
