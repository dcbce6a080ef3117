/** Arguments and options shared by several commands. */
import { AGENTS } from "../../sessions/session-ref.ts";
import type { ArgumentDefinition, OptionDefinition } from "../command.ts";

export const SESSION: ArgumentDefinition = {
  name: "SESSION",
  does: "A path, a session id or the beginning of one, latest (latest@HOST: of another machine), or - for standard input.",
  required: true,
};

export const SESSIONS: ArgumentDefinition = { ...SESSION, variadic: true };

export const SINCE: OptionDefinition = {
  flags: "--since <date>",
  does: "Only sessions with activity since then: 2026-01-31, an ISO time, today, yesterday, or an age such as 12h, 7d, 4w.",
  value: "date",
};

export const UNTIL: OptionDefinition = {
  flags: "--until <date>",
  does: "Only sessions with activity until then; a date includes its whole day. Same forms as --since.",
  value: "end-date",
};

export const PROJECT: OptionDefinition = {
  flags: "--project <path>",
  does: "Only sessions of the project in this folder or in a folder inside it.",
};

export const AGENT: OptionDefinition = {
  flags: "--agent <name>",
  does: "Only sessions of this agent.",
  choices: AGENTS,
};

export const HERE: OptionDefinition = {
  flags: "--here",
  does: "Only sessions of this machine, where a team shares the index.",
};

export const NO_REDACT: OptionDefinition = {
  flags: "--no-redact",
  does: "Prints passwords, keys and tokens as the files have them. Reads files only, never the index; refuses a session whose file is gone.",
};

/** `what`: the subject of a line or of the object. */
export function json(shape: "lines" | "object", what: string): OptionDefinition {
  return {
    flags: "--json",
    does: shape === "lines" ? `Prints JSON, one line for ${what}.` : `Prints one JSON object: ${what}.`,
  };
}
