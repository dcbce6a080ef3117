import type { Hooks } from "@opencode-ai/plugin";
import type { Options } from "../../config.ts";
import { TOOL_DEFINITIONS } from "../../tools/tool-definitions.ts";
import type { ToolDefinition } from "../../tools/tool.ts";
import type { Shared } from "./shared.ts";

type OpencodeTools = NonNullable<Hooks["tool"]>;

/** Maximum wait for the calling session's latest entries to be written, in milliseconds. */
const FLUSH_MS = 1_000;

/** Returns the tools that read sessions, as opencode expects them: those named in the options. */
export function recallTools(shared: Shared, { tools }: Pick<Options, "tools">): OpencodeTools {
  return Object.fromEntries(
    offeredTools(tools).map((definition) => [definition.name, opencodeTool(shared, definition)]),
  );
}

/** Returns the definitions of the tools named in the options. */
export function offeredTools(tools: Options["tools"]): ToolDefinition[] {
  const names: readonly string[] = tools;
  return TOOL_DEFINITIONS.filter(({ name }) => names.includes(name));
}

function opencodeTool(shared: Shared, { name, description, args }: ToolDefinition): OpencodeTools[string] {
  return { description, args, execute: (given, caller) => callTool(shared, name, given, caller) };
}

/** Returns the tool's answer. Rejects with the message for the model if the call failed. */
export async function callTool(
  { recorder, runner }: Shared,
  name: string,
  given: unknown,
  { sessionID, directory, abort }: { sessionID: string; directory: string; abort: AbortSignal },
): Promise<string> {
  // The latest entries can then be found too; a write that takes longer does not delay the call.
  await recorder.flush(FLUSH_MS, sessionID);
  const request = { tool: name, args: plain(given), cwd: directory, sessionId: sessionID, showsData: false };
  const { text, isError = false } = await runner().call(request, abort);
  // The host shows a failed call, and passes the message to the model.
  if (isError) throw new Error(text);
  return text;
}

/** Returns plain data, which can be sent to a worker. */
function plain(given: unknown): unknown {
  const json: unknown = JSON.parse(JSON.stringify(given ?? {}));
  return json;
}
