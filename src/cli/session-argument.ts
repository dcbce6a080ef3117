import type { SessionRef } from "../sessions/session-ref.ts";

/** The argument that means this session and no other, as a shell takes it. Ids are short, but may stand twice. */
export function argumentFor(ref: SessionRef, isOnlyId = false): string {
  if (ref.source === "stdin") return "-";
  const argument = isOnlyId ? ref.id : (ref.path ?? ref.id);
  const isPlain = /^[\w./@:+-]+$/.test(argument) && !argument.startsWith("-");
  return isPlain ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
