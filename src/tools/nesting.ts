/** How deep the arguments of a call go. */
import { ToolError } from "./tool-error.ts";

/** No tool takes more than a few levels. Far deeper, a value cannot be handed to a thread, nor written as JSON. */
const MAX_DEPTH = 100;

/** The refusal of arguments that are nested too deep, which names the one at fault; undefined if none is. */
export function nestingFault(args: unknown): ToolError | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  for (const [field, value] of Object.entries(args)) {
    if (!isDeep(value)) continue;
    const problem = `${field}: it is nested more than ${MAX_DEPTH} deep.`;
    return new ToolError("bad_arguments", problem, "Keep it flat.", { field });
  }
  return undefined;
}

/** Level by level: a walk down would need as deep a stack. */
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((each): unknown[] => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}
