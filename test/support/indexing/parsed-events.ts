import { readFileSync } from "node:fs";
import { redactEvents } from "../../../src/indexing/redact-events.ts";
import { noProgress, SessionEvents } from "../../../src/indexing/session-events.ts";
import { detectSource } from "../../../src/parse/sources/index.ts";
import { sourceOptions } from "../../../src/scan/find-units.ts";
import { outputReader } from "../../../src/sessions/output-reader.ts";
import { sessionRef } from "../../../src/sessions/session-ref.ts";
import type { StoredEvent } from "../../../src/store/model.ts";
import { NO_REDACTOR } from "./index-fixture.ts";

/**
 * The events of a transcript as the parser gives them, which reads it as a whole and holds texts back until they are
 * whole: what an index of it must hold, however it came about. Undefined if it is no transcript yet.
 */
export async function parsedEvents(path: string, sessionId: string): Promise<StoredEvent[] | undefined> {
  const bytes = readFileSync(path);
  const source = detectSource(bytes.toString("utf8", 0, 64 * 1024));
  if (source?.name !== "markdown" && source?.name !== "jsonl") return undefined;
  const events = new SessionEvents({ sessionId, repeats: false, idsBy: "name" }, noProgress());
  const readOutput = outputReader(sessionRef({ id: sessionId, source: "transcript", path }));
  const chunks = (async function* () {
    yield bytes;
  })();
  for await (const units of source.read(chunks, sourceOptions(readOutput === undefined ? {} : { readOutput }))) {
    for (const unit of units) events.add(unit);
  }
  const taken = events.take();
  const { events: all, late } = await redactEvents(NO_REDACTOR, taken.events, taken.late, []);
  const names = new Map(late.map((name) => [name.event_id, name]));
  return all.map((event) => ({ ...event, ...names.get(event.event_id) }));
}
