import { isAbsolute, join, relative, sep } from "node:path";
import type { Hooks } from "@opencode-ai/plugin";
import type { Options } from "../../config.ts";
import { writeNewFile } from "../../files/new-file.ts";
import { nodeFileSystem } from "../../files/node-file-system.ts";
import { saveConversation, type SaveConversationOptions } from "../../tools/save-conversation/save.ts";
import { SAVE_CONVERSATION } from "../../tools/save-conversation/tool.ts";
import { createRedaction, formatsOf, NO_REDACTION, transcriptsFolder } from "../../transcript/create-recorder.ts";
import { id, list, read } from "./fields.ts";
import type { Shared } from "./shared.ts";

/** Messages that are looked through for the model that is to summarize. */
const RECENT_MESSAGES = 20;

/** The tool as opencode takes it. */
export function saveConversationTool(shared: Shared, options: Options, root: string): NonNullable<Hooks["tool"]> {
  const { dataFolder, recorder, turns } = shared;
  const settings: SaveConversationOptions = {
    recorder,
    redaction: options.redact ? createRedaction() : NO_REDACTION,
    recordsEvents: options.events,
    dataFolder,
    transcriptsFolder: transcriptsFolder(dataFolder),
    formats: formatsOf(options.format),
    fs: nodeFileSystem,
    join,
    writeNew: async (path, data) => {
      await recorder.checkFolder();
      await recorder.restoreFolder();
      return writeNewFile(nodeFileSystem, path, data);
    },
    now: () => new Date(),
    shown: (path) => shortened(path, root),
    // What we write ourselves is no work of the session.
    fileName: (path) => (isInside(path, dataFolder) ? undefined : shortened(path, root)),
    summarizeLater: (sessionID) => turns.whenEnded(sessionID, () => askForSummary(shared, sessionID)),
  };
  return {
    [SAVE_CONVERSATION.name]: {
      description: SAVE_CONVERSATION.description,
      args: SAVE_CONVERSATION.args,
      execute: (args, context) => saveConversation(context.sessionID, args, settings),
    },
  };
}

/** A path from the project's root, if it lies below; any other as it is. */
function shortened(path: string, root: string): string {
  return isAbsolute(path) && isInside(path, root) ? relative(root, path) : path;
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function askForSummary(shared: Shared, sessionID: string): void {
  void summarize(shared, sessionID).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : "unknown error";
    shared.notices.warn(`opencode did not summarize session ${sessionID}: ${why} Run /compact by hand.`);
  });
}

/** Asks opencode to summarize, with the model that answered last. Rejects if it does not. */
async function summarize({ input }: Shared, sessionID: string): Promise<void> {
  const { client, directory } = input;
  const stored = await client.session.messages({
    path: { id: sessionID },
    query: { directory, limit: RECENT_MESSAGES },
  });
  const infos = list(stored, "data").map((message) => read(message, "info"));
  const last = infos.findLast((info) => id(info, "modelID") !== undefined);
  const modelID = id(last, "modelID");
  const providerID = id(last, "providerID");
  if (modelID === undefined || providerID === undefined) throw new Error("no model is known that could do it.");
  const body = { modelID, providerID };
  const answer = await client.session.summarize({ path: { id: sessionID }, query: { directory }, body });
  // The client resolves with an error that the host answered.
  if (read(answer, "error") !== undefined) throw new Error("the request failed.");
}
