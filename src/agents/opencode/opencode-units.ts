/**
 * Turns a session of opencode and its messages into units, whether they come from its database or from an export. A message
 * has no line in either, so its number in the session is used as its line and offset.
 */
import { given } from "../../given.ts";
import { fieldsOf, textOf, type Fields } from "../../parse/json-fields.ts";
import type { InputUnit } from "../../parse/message-draft.ts";
import { emptyUnit, unknownUnit, untypedUnit } from "../../parse/record-units.ts";
import { TimeSpan, timeOf } from "../../parse/times.ts";
import { isMessage2, messageOf2 } from "./opencode-2-message.ts";
import { messageDrafts } from "./opencode-message.ts";

/** Returns a session's title; undefined for none, and for the preliminary one that opencode gives. */
export function sessionTitle(title: string | undefined): string | undefined {
  const isGiven = title !== undefined && title.trim() !== "" && !PRELIMINARY.test(title);
  return isGiven ? title : undefined;
}

const PRELIMINARY = /^(?:New|Child) session - \d{4}-\d{2}-\d{2}T/;

/** Returns the unit for a session's `info`. */
export function sessionUnit(info: Fields): InputUnit {
  return {
    ...emptyUnit({ line: 1, offset: 0 }, { as: "used" }, []),
    lines: 0,
    session: given({
      sessionId: textOf(info, "id"),
      parentSessionId: textOf(info, "parentID"),
      title: sessionTitle(textOf(info, "title")),
      version: textOf(info, "version"),
      cwd: textOf(info, "directory") ?? textOf(fieldsOf(info, "location"), "directory"),
    }),
    timestamp: timeOf(fieldsOf(info, "time")?.["created"]),
  };
}

/**
 * Returns the unit for a message of 1.x, `{ info, parts }`, or of 2.x, `{ id, type, … }`. `number`: from 1 in its session,
 * whose `info` tells whether it is a subagent's.
 */
export function messageUnit(message: Fields, number: number, session: Fields | undefined): InputUnit {
  const place = { line: number, offset: number };
  const value = isMessage2(message) ? messageOf2(message) : message;
  if (value === "silent") return emptyUnit(place, { as: "skipped", kind: textOf(message, "type") ?? "" }, []);
  const messages = value && messageDrafts(value);
  if (messages === undefined) {
    const info = fieldsOf(value ?? message, "info");
    const kind = info === undefined ? textOf(message, "type") : textOf(info, "role");
    return kind === undefined ? untypedUnit(place, []) : unknownUnit(place, kind, value ?? message, []);
  }
  if (textOf(session, "parentID") !== undefined) for (const draft of messages) draft.isSidechain = true;
  const info = fieldsOf(value, "info") ?? {};
  const span = new TimeSpan();
  for (const time of [timeOf(fieldsOf(info, "time")?.["completed"]), ...messages.map(({ timestamp }) => timestamp)])
    if (time !== undefined) span.add(time);
  return { ...emptyUnit(place, { as: "used" }, []), messages, timestamp: span.last ?? undefined };
}
