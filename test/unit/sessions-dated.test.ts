/** The order of sessions whose times the store has. */
import assert from "node:assert/strict";
import { appendFileSync, utimesSync } from "node:fs";
import { updateIndex } from "../../src/indexing/update-index.ts";
import { storeArchive } from "../../src/queries/stored-archive.ts";
import { findSessions } from "../../src/sessions/find-sessions.ts";
import { nodeSessionFiles } from "../../src/places/session-files.ts";
import { openStore } from "../../src/store/open-store.ts";
import { NO_REDACTOR } from "../support/indexing/index-fixture.ts";
import { afterAll, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import { claudeLine, filesWith, Machine, minuteMs } from "./sessions-machine.ts";

afterAll(removeTempDirs);

test("the ends of files that the store has as they are need not be read to order sessions", async () => {
  const machine = new Machine();
  const id = (at: number): string => `0000000${at}-0000-4000-8000-000000000000`;
  // Copied later, in another order than that of their entries.
  const times = [30, 10, 20];
  const paths = times.map((minute, at) => {
    const path = machine.claudeFile(`-p/${id(at)}.jsonl`, minute);
    utimesSync(path, 1_800_000_000 + at, 1_800_000_000 + at);
    return path;
  });
  const place = { env: {}, home: machine.home };
  const store = await openStore(place);
  await updateIndex(store, machine.where, { redactor: NO_REDACTOR, level: "figures" });
  const opened: string[] = [];
  const files = filesWith({
    openRead: (path) => {
      opened.push(path);
      return nodeSessionFiles.openRead(path);
    },
  });
  const where = { ...machine.where, archive: storeArchive(place, async () => store) };
  const listed = async (): Promise<[string, number | null][]> => {
    opened.length = 0;
    const { sessions } = await findSessions(where, { archived: true, byEntryTime: true, files });
    return sessions.map((ref) => [ref.id, ref.lastMs]);
  };
  assert.deepEqual(await listed(), [
    [id(0), minuteMs(30)],
    [id(2), minuteMs(20)],
    [id(1), minuteMs(10)],
  ]);
  assert.deepEqual(opened, []);
  appendFileSync(paths[1] ?? "", claudeLine({ uuid: "later", timestamp: new Date(minuteMs(40)).toISOString() }));
  assert.deepEqual((await listed())[0], [id(1), minuteMs(40)]);
  assert.deepEqual(opened, [paths[1]]);
  await store.close();
});
