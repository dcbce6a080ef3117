/** Says what the tools of all agents do: the one answer to what a call did, whatever agent made it. */
import type { Action, ToolTable } from "../calls/tools.ts";
import { touchedFiles, type TouchedFiles } from "../calls/touched-files.ts";
import { AGENTS } from "./registry.ts";

/** Tools of different agents have the same name only if they do the same. */
export const allTools: ToolTable = (tool, input) => {
  let found: Action = { kind: "other" };
  for (const table of tables()) {
    const action = table(tool, input);
    if (action.kind === "mcp") found = action;
    else if (action.kind !== "other") return action;
  }
  return found;
};

let known: ReadonlySet<ToolTable> | undefined;

function tables(): ReadonlySet<ToolTable> {
  return (known ??= new Set(AGENTS.flatMap(({ formats }) => formats.flatMap(({ tools }) => tools ?? []))));
}

/** Returns the files that a call reads and changes. `cwd`: the folder of the call. */
export function filesOfCall(tool: string | null, input: unknown, cwd: string | null): TouchedFiles {
  return touchedFiles(allTools(tool, input), input, cwd);
}
