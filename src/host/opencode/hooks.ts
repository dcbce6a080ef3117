import { dirname, resolve } from "node:path";
import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import { parseOptions } from "../../config.ts";
import { given } from "../../transcript/draft.ts";
import { toJsonValue } from "../../transcript/json-value.ts";
import type { HostRecord, PromptPart } from "../../transcript/records.ts";
import { EventTranslator, modelName } from "./events.ts";
import { fields, id, isFields, list, read, text } from "./fields.ts";
import { completedOutput, userPart } from "./parts.ts";
import { saveConversationTool } from "./save-conversation.ts";
import { joinShared, type Shared } from "./shared.ts";

/** How long `dispose` may take; the host grants 5 s to all plugins together. */
const DISPOSE_MS = 3_000;

/**
 * The hooks of one plugin instance. No hook throws or rejects whatever it is given, none waits for anything:
 * the host calls some of them in the middle of its own work, and a failure there fails the user's prompt.
 */
export function createHooks(input: PluginInput, rawOptions: unknown): Hooks {
  const { options, problems } = parseOptions(rawOptions);
  const root = projectRoot(input);
  const shared = joinShared(resolve(root, options.directory), options, input);
  const translator = new EventTranslator();
  const tell = once(() => shared.notices.options(problems));
  const record = (make: () => readonly HostRecord[]): void => {
    try {
      for (const host of make()) shared.recorder.accept(host);
      tell();
    } catch (error) {
      shared.notices.failure(error);
    }
  };
  return {
    event: async (given) => record(() => translator.translate(read(given, "event"))),
    "chat.message": async (about, output) => record(() => promptRecords(translator, about, output)),
    "tool.execute.before": async (about, output) => record(() => callHints(about, output)),
    "tool.execute.after": async (about, output) => record(() => resultHints(about, output)),
    dispose: () => leave(shared),
    tool: options.tools.includes("save_conversation") ? saveConversationTool(shared, options, root) : {},
  };
}

/** The folder that relative paths start from: the worktree, or outside of one the folder that was opened. */
export function projectRoot(input: Pick<PluginInput, "worktree" | "directory">): string {
  const { worktree, directory } = input;
  const isRoot = worktree === undefined || worktree === "" || dirname(worktree) === worktree;
  return isRoot ? directory : worktree;
}

async function leave(shared: Shared): Promise<void> {
  shared.instances = Math.max(0, shared.instances - 1);
  // What another instance has under way goes on.
  await shared.recorder.flush(DISPOSE_MS, "all", shared.instances === 0 ? "soon" : "no");
}

/** For notices that go out with the host's first word: before that it is starting and must not be asked anything. */
function once(act: () => void): () => void {
  let isDue = true;
  return () => {
    if (!isDue) return;
    isDue = false;
    act();
  };
}

function promptRecords(translator: EventTranslator, about: unknown, output: unknown): HostRecord[] {
  const message = fields(output, "message");
  const messageID = id(message, "id") ?? id(about, "messageID");
  const sessionID = id(about, "sessionID") ?? id(message, "sessionID");
  if (sessionID === undefined || messageID === undefined) return [];
  translator.learnRole(messageID, "user");
  const parts = list(output, "parts").flatMap((part, at): PromptPart[] => {
    if (!isFields(part)) return [];
    return [{ partID: id(part, "id") ?? `${messageID}-${at}`, part: userPart(part) }];
  });
  const model = modelName(message) ?? modelName({ model: read(about, "model") });
  return [
    {
      kind: "prompt",
      sessionID,
      messageID,
      parts,
      ...given({ agent: id(message, "agent") ?? id(about, "agent"), model }),
    },
  ];
}

function callHints(about: unknown, output: unknown): HostRecord[] {
  const call = callOf(about);
  return call ? [{ kind: "call_hint", ...call, input: toJsonValue(read(output, "args") ?? {}) }] : [];
}

function resultHints(about: unknown, output: unknown): HostRecord[] {
  const call = callOf(about);
  if (!call) return [];
  const args = read(about, "args");
  const end = { status: "completed" as const, ...completedOutput(output) };
  return [{ kind: "result_hint", ...call, end, ...(args === undefined ? {} : { input: toJsonValue(args) }) }];
}

function callOf(about: unknown): { sessionID: string; callID: string; tool: string } | undefined {
  const sessionID = id(about, "sessionID");
  const callID = id(about, "callID");
  if (sessionID === undefined || callID === undefined) return undefined;
  return { sessionID, callID, tool: text(about, "tool") ?? "unknown" };
}
