import { isAbsolute, relative, sep } from "node:path";
import type { Options } from "../config.ts";
import type { SaveConversationOptions } from "../tools/save-conversation/save.ts";
import { createRedaction, formatsOf, NO_REDACTION } from "../transcript/create-recorder.ts";
import { nodeFileSystem } from "../transcript/files/node-file-system.ts";
import { writeNewFile } from "../transcript/files/new-file.ts";
import { transcriptsFolder } from "../transcript/recording-folder.ts";
import { SAVE_CONVERSATION, TOOL_DEFINITIONS } from "../tools/tool-definitions.ts";
import type { ArgumentShape } from "../tools/tool.ts";
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
    call: async (shared, given, { sessionID, directory }) => {
      const { saveConversation } = await import("../tools/save-conversation/save.ts");
      return saveConversation(sessionID, given, saveSettings(shared, options, rootOf(directory)));
    },
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
  const request = { tool: name, args: plain(given), cwd: directory, sessionId: sessionID };
  const { text, isError = false } = await (await runner()).call(request, abort);
  // The host shows a failed call, and passes the message to the model.
  if (isError) throw new Error(text);
  return text;
}

/** Returns plain data, which can be sent to a worker. */
function plain(given: unknown): unknown {
  const json: unknown = JSON.parse(JSON.stringify(given ?? {}));
  return json;
}

/** Returns the settings with which a session of this host is saved. */
function saveSettings(shared: Shared, options: Options, root: string): SaveConversationOptions {
  const { dataFolder, recorder, turns } = shared;
  return {
    recorder,
    redaction: options.redact ? createRedaction() : NO_REDACTION,
    dataFolder,
    transcriptsFolder: transcriptsFolder(dataFolder),
    formats: formatsOf(options.format),
    fs: nodeFileSystem,
    writeNew: async (path, data) => {
      await recorder.folder.check([relative(dataFolder, path)]);
      await recorder.folder.restore();
      return writeNewFile(nodeFileSystem, path, data);
    },
    now: () => new Date(),
    shown: (path) => shortened(path, root),
    // Files written by this package do not count as touched by the session.
    fileName: (path) => (isInside(path, dataFolder) ? undefined : shortened(path, root)),
    ...(shared.host.summarize === undefined
      ? {}
      : { summarizeLater: (sessionID) => turns.whenEnded(sessionID, () => askForSummary(shared, sessionID)) }),
  };
}

/** Makes a path inside the project relative to its root. */
function shortened(path: string, root: string): string {
  return isAbsolute(path) && isInside(path, root) ? relative(root, path) : path;
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function askForSummary(shared: Shared, sessionID: string): void {
  void shared.host.summarize?.(sessionID).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : "unknown error";
    shared.notices.warn(`opencode did not summarize session ${sessionID}: ${why} Run /compact by hand.`);
  });
}
