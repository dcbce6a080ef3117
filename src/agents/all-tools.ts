/** Says what the tools of all agents do: the one answer to what a call did, whatever agent made it. */
import type { Action, ToolTable } from "../calls/tools.ts";
import { touchedFiles, type TouchedFiles } from "../calls/touched-files.ts";
import { AGENTS } from "./registry.ts";

/** Tools of different agents have the same name and do the same, but name their inputs differently. */
export const allTools: ToolTable = (tool, input) => {
  let best: Action = { kind: "other" };
  for (const table of tables()) {
    const action = table(tool, input);
    if (clarity(action) > clarity(best)) best = action;
  }
  return best;
};

let known: ReadonlySet<ToolTable> | undefined;

function tables(): ReadonlySet<ToolTable> {
  return (known ??= new Set(AGENTS.flatMap(({ formats }) => formats.flatMap(({ tools }) => tools ?? []))));
}

/** Returns how much of a call an agent's table says: 0 for a tool that it does not have, 3 if it says all. */
function clarity(action: Action): number {
  switch (action.kind) {
    case "other":
      return 0;
    case "read":
    case "list":
      return action.paths.length > 0 ? 3 : 1;
    case "search":
    case "glob":
      return action.pattern === "" ? 1 : 3;
    case "write":
      if (action.edits.length === 0) return 1;
      return action.edits.some((edit) => edit.how !== "patch" || edit.lines.length > 0) ? 3 : 2;
    case "run":
      return action.line === null ? 1 : 3;
    case "fetch":
      return action.url === "" ? 1 : 3;
    default:
      return 1;
  }
}

/** Returns the files that a call reads and changes. `cwd`: the folder of the call. */
export function filesOfCall(tool: string | null, input: unknown, cwd: string | null): TouchedFiles {
  return touchedFiles(allTools(tool, input), input, cwd);
}
