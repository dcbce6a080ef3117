/** Typed access to the options of a command. Commander parses them by their definition, so a mismatch is a bug. */
import { given } from "../given.ts";
import type { Between } from "../queries/figures.ts";
import type { CommandOptions } from "./command.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/** Returns whether a flag was given. */
export function flag(options: CommandOptions, name: string): boolean {
  return options[name] === true;
}

export function text(options: CommandOptions, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns all values of an option that may be given several times. */
export function texts(options: CommandOptions, name: string): string[] {
  const value = options[name];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

export function integer(options: CommandOptions, name: string): number | undefined {
  const value = options[name];
  return typeof value === "number" ? value : undefined;
}

export function date(options: CommandOptions, name: string): Date | undefined {
  const value = options[name];
  return value instanceof Date ? value : undefined;
}

/** Returns `--since` and `--until`. Throws a `TranscriptsError` if they are in the wrong order. */
export function between(options: CommandOptions): Between {
  const [since, until] = [date(options, "since"), date(options, "until")];
  if (since !== undefined && until !== undefined && since >= until) {
    throw new TranscriptsError("bad_arguments", "--since must be earlier than --until.", "Swap the two dates.");
  }
  return given({ since, until });
}
