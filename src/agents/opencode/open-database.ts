/** Reads a session in opencode's database message by message, so that memory does not grow with the session. */
import { setImmediate } from "node:timers/promises";
import type { SessionContent } from "../../parse/content.ts";
import type { InputUnit } from "../../parse/message-draft.ts";
import { cannotOpen, gone } from "../../places/session-bytes.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import { openSqlite } from "../../places/sqlite-reader.ts";
import { isSessionError } from "../../transcripts-error.ts";
import { opencodeExport } from "./opencode-export.ts";
import { messageUnit, sessionUnit } from "./opencode-units.ts";
import { opencodeSession } from "./store-export.ts";

/** Time after which the event loop gets a turn, because reading a database blocks the thread. */
const TURN_MS = 10;

/** Opens a session in a database; any other content is left as it is. */
export function openDatabase(ref: SessionRef, content: SessionContent): SessionContent {
  const { database } = ref;
  if (database === null) return content;
  return { open: async () => ({ format: opencodeExport, units: unitsIn(ref, database) }) };
}

async function* unitsIn(ref: SessionRef, path: string): AsyncGenerator<InputUnit[]> {
  try {
    yield* messagesIn(ref, path);
  } catch (error) {
    throw isSessionError(error) ? error : cannotOpen(ref, error);
  }
}

async function* messagesIn(ref: SessionRef, path: string): AsyncGenerator<InputUnit[]> {
  const database = await openSqlite(path);
  try {
    const session = opencodeSession(database, ref.id);
    if (session === undefined) throw gone(ref, path);
    yield [sessionUnit(session.info)];
    let turn = performance.now();
    let number = 0;
    for (const message of session.messages) {
      number += 1;
      yield [messageUnit(message, number, session.info)];
      if (performance.now() - turn < TURN_MS) continue;
      await setImmediate();
      turn = performance.now();
    }
  } finally {
    database.close();
  }
}
