/**
 * Turns a session of opencode and its messages into units, whether they come from its database or from an export. A message
 * has no line in either, so its number in the session is used as its line and offset.
 */
import { given } from "../../given.ts";
import { fieldsOf, textOf, type Fields } from "../../parse/json-fields.ts";
import { problemAt, type InputPlace, type InputUnit } from "../../parse/message-draft.ts";
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
    line: 1,
    offset: 0,
    lines: 0,
    outcome: { as: "used" },
    messages: [],
    problems: [],
    session: given({
      sessionId: textOf(info, "id"),
      parentSessionId: textOf(info, "parentID"),
      title: sessionTitle(textOf(info, "title")),
      version: textOf(info, "version"),
      cwd: textOf(info, "directory") ?? textOf(fieldsOf(info, "location"), "directory"),
    }),
    ...given({ timestamp: timeOf(fieldsOf(info, "time")?.["created"]) }),
  };
}

/**
 * Returns the unit for a message of 1.x, `{ info, parts }`, or of 2.x, `{ id, type, … }`. `number`: from 1 in its session,
 * whose `info` tells whether it is a subagent's.
 */
export function messageUnit(message: Fields, number: number, session: Fields | undefined): InputUnit {
  const unit = { line: number, offset: number, lines: 1, messages: [], problems: [] };
  const value = isMessage2(message) ? messageOf2(message) : message;
  if (value === "silent") return { ...unit, outcome: { as: "skipped", kind: textOf(message, "type") ?? "" } };
  const messages = value && messageDrafts(value);
  if (textOf(session, "parentID") !== undefined) for (const draft of messages ?? []) draft.isSidechain = true;
  if (messages === undefined) return { ...unit, ...strange(value ?? message, unit) };
  const info = fieldsOf(value, "info") ?? {};
  const span = new TimeSpan();
  for (const time of [timeOf(fieldsOf(info, "time")?.["completed"]), ...messages.map(({ timestamp }) => timestamp)])
    if (time !== undefined) span.add(time);
  return { ...unit, outcome: { as: "used" }, messages, ...given({ timestamp: span.last ?? undefined }) };
}

/** Returns the outcome for a message with an unknown role or type. */
function strange(value: Fields, place: InputPlace): Pick<InputUnit, "outcome" | "problems"> {
  const info = fieldsOf(value, "info");
  const role = info === undefined ? textOf(value, "type") : textOf(info, "role");
  if (role === undefined) {
    const reason = "This is not an opencode message: it has no info with a role.";
    return { outcome: { as: "failed" }, problems: [problemAt(place, "not_a_record", reason)] };
  }
  const what = info === undefined ? "type" : "role";
  const reason = `Messages of the ${what} "${role}" are not known to this version. It is kept in unknown_lines.`;
  return {
    outcome: { as: "unknown", type: role, raw: value },
    problems: [problemAt(place, "unknown_type", reason, true)],
  };
}
