import { join, relative } from "node:path";
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
  const settings: SaveConversationOptions = {
    recorder: shared.recorder,
    redaction: options.redact ? createRedaction() : NO_REDACTION,
    dataFolder: shared.dataFolder,
    transcriptsFolder: transcriptsFolder(shared.dataFolder),
    formats: formatsOf(options.format),
    fs: nodeFileSystem,
    join,
    writeNew: (path, data) => writeNewFile(nodeFileSystem, path, data),
    now: () => new Date(),
    shown: (path) => relative(root, path),
    summarize: (sessionID) => void summarize(shared, sessionID).catch((error) => shared.notices.failure(error)),
  };
  return {
    [SAVE_CONVERSATION.name]: {
      description: SAVE_CONVERSATION.description,
      args: SAVE_CONVERSATION.args,
      execute: (args, context) => saveConversation(context.sessionID, args, settings),
    },
  };
}

/** Asks opencode to summarize, with the model that answered last. */
async function summarize({ input }: Shared, sessionID: string): Promise<void> {
  const { client, directory } = input;
  const answer = await client.session.messages({
    path: { id: sessionID },
    query: { directory, limit: RECENT_MESSAGES },
  });
  const infos = list(answer, "data").map((message) => read(message, "info"));
  const last = infos.findLast((info) => id(info, "modelID") !== undefined);
  const modelID = id(last, "modelID");
  const providerID = id(last, "providerID");
  if (modelID === undefined || providerID === undefined) throw new Error("No model is known that could summarize.");
  await client.session.summarize({ path: { id: sessionID }, query: { directory }, body: { modelID, providerID } });
}
