import type { Hooks } from "@opencode-ai/plugin";
import type { Options } from "../../config.ts";
import { TOOL_DEFINITIONS } from "../../tools/definitions.ts";
import type { ToolDefinition } from "../../tools/tool.ts";
import type { Shared } from "./shared.ts";

type OpencodeTools = NonNullable<Hooks["tool"]>;

/** How long a call waits for the calling session's latest entries to be on the disk, in milliseconds. */
const FLUSH_MS = 1_000;

/** The tools that read sessions back, as opencode takes them: those that the options name. */
export function recallTools(shared: Shared, { tools }: Pick<Options, "tools">): OpencodeTools {
  const names: readonly string[] = tools;
  const offered = TOOL_DEFINITIONS.filter(({ name }) => names.includes(name));
  return Object.fromEntries(offered.map((definition) => [definition.name, opencodeTool(shared, definition)]));
}

function opencodeTool(
  { recorder, runner }: Shared,
  { name, description, args }: ToolDefinition,
): OpencodeTools[string] {
  return {
    description,
    args,
    execute: async (given, { sessionID, directory, abort }) => {
      // What was said a moment ago can be found too; what cannot be written yet does not hold up the call.
      await recorder.flush(FLUSH_MS, sessionID);
      const request = { tool: name, args: plain(given), cwd: directory, sessionId: sessionID, showsData: false };
      const { text, isError = false } = await runner().call(request, abort);
      // The host shows it as a call that failed, and hands the words to the model.
      if (isError) throw new Error(text);
      return text;
    },
  };
}

/** Only plain data goes to another thread. */
function plain(given: unknown): unknown {
  const json: unknown = JSON.parse(JSON.stringify(given ?? {}));
  return json;
}
