import type { Options } from "../../config.ts";
import { saveConversation } from "../../tools/save-conversation/save.ts";
import { SAVE_CONVERSATION } from "../../tools/save-conversation/save-conversation-tool.ts";
import { TOOL_DEFINITIONS } from "../../tools/tool-definitions.ts";
import type { ArgumentShape } from "../../tools/tool.ts";
import { saveSettings } from "./save-conversation.ts";
import type { Shared } from "./shared.ts";

/** Maximum wait for the calling session's latest entries to be written, in milliseconds. */
const FLUSH_MS = 1_000;

/** Tool of this package, as both generations of opencode offer it. */
export interface OfferedTool {
  name: string;
  description: string;
  args: ArgumentShape;
  /** Returns the answer. Rejects with the message for the model if the call failed. */
  call: (shared: Shared, given: unknown, caller: ToolCaller) => Promise<string>;
}

export interface ToolCaller {
  sessionID: string;
  directory: string;
  abort: AbortSignal;
}

/** Returns the tools named in the options. `rootOf` returns the base of relative paths in an opened folder. */
export function offeredTools(options: Options, rootOf: (directory: string) => string): OfferedTool[] {
  const names: readonly string[] = options.tools;
  const save: OfferedTool = {
    ...SAVE_CONVERSATION,
    call: (shared, given, { sessionID, directory }) =>
      saveConversation(sessionID, given, saveSettings(shared, options, rootOf(directory))),
  };
  const recall = TOOL_DEFINITIONS.map(({ name, description, args }): OfferedTool => {
    return { name, description, args, call: (shared, given, caller) => callTool(shared, name, given, caller) };
  });
  return [save, ...recall].filter(({ name }) => names.includes(name));
}

async function callTool(
  { recorder, runner }: Shared,
  name: string,
  given: unknown,
  { sessionID, directory, abort }: ToolCaller,
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
