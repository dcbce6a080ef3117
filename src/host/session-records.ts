/** Records of sessions and their events, which both generations of opencode describe alike. */
import { given } from "../given.ts";
import type { HostRecord, SessionRecord } from "../transcript/records.ts";
import { fieldsOf, numberOf, textOf, type Fields } from "../parse/json-fields.ts";

/** Returns the record for a session's `info`. */
export function sessionRecord(sessionID: string, info: Fields, isNew: boolean): SessionRecord {
  const version = textOf(info, "version");
  return {
    kind: "session",
    sessionID,
    isNew,
    ...given({
      parentID: textOf(info, "parentID"),
      title: textOf(info, "title"),
      directory: textOf(info, "directory"),
      createdMs: numberOf(fieldsOf(info, "time"), "created"),
      host: version === undefined ? undefined : `${hostName()} ${version}`,
      revertedTo: textOf(fieldsOf(info, "revert"), "messageID"),
    }),
  };
}

/** Kilo names its process; a program that it runs inherits the variable, but has another number. */
function hostName(): string {
  return process.env["KILO_PID"] === String(process.pid) ? "kilo" : "opencode";
}

export interface EventFields {
  text?: string | undefined;
  data?: unknown;
  callID?: string | undefined;
  requestID?: string | undefined;
}

/** Returns the record of a session event; `id` is the host's. */
export function eventRecord(
  { sessionID, id }: { sessionID: string; id: string | undefined },
  name: string,
  { text, data, callID, requestID }: EventFields,
): HostRecord {
  return { kind: "event", sessionID, name, ...given({ text, data, eventID: id, callID, requestID }) };
}
