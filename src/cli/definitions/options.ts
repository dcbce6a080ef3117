/** Arguments and options that several commands have. */
import type { ArgumentDefinition, OptionDefinition } from "../command.ts";

export const SESSION: ArgumentDefinition = {
  name: "SESSION",
  does: "A path, a session id or the beginning of one, latest, or - for standard input.",
  required: true,
};

export const SESSIONS: ArgumentDefinition = { ...SESSION, variadic: true };

export const SINCE: OptionDefinition = {
  flags: "--since <date>",
  does: "Only sessions with something said since: 2026-01-31, an ISO time, today, yesterday, or an age such as 12h, 7d, 4w.",
  value: "date",
};

export const UNTIL: OptionDefinition = {
  flags: "--until <date>",
  does: "Only sessions with something said until then; a day is meant whole. Dates as for --since.",
  value: "end-date",
};

export const PROJECT: OptionDefinition = {
  flags: "--project <path>",
  does: "Only sessions of the project in this folder, or in one inside it.",
};

export const NO_REDACT: OptionDefinition = {
  flags: "--no-redact",
  does: "With passwords, keys and tokens as they stand in the files; nothing is taken from the index.",
};

/** `what` says what stands in a line or in the object. */
export function json(shape: "lines" | "object", what: string): OptionDefinition {
  return { flags: "--json", does: shape === "lines" ? `JSON, one line for ${what}.` : `One JSON object: ${what}.` };
}
