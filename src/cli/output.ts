/** How JSON leaves the program. */
import type { CommandContext } from "./command.ts";
import { guardJson } from "../neutral-text.ts";

/** One object, laid out for the eye too. */
export async function printObject(context: CommandContext, value: object): Promise<void> {
  await context.out(`${guardJson(JSON.stringify(value, null, 2))}\n`);
}

/** One object on one line. */
export async function printLine(context: CommandContext, value: object): Promise<void> {
  await context.out(`${guardJson(JSON.stringify(value))}\n`);
}
