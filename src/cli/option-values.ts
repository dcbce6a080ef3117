/** Typed access to the options of a command. What commander read is what the definition says, so a mismatch is a bug. */
import type { CommandOptions } from "./command.ts";

/** Whether a flag was given. */
export function flag(options: CommandOptions, name: string): boolean {
  return options[name] === true;
}

export function text(options: CommandOptions, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** All values of an option that may be given several times; none if it was not given. */
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
