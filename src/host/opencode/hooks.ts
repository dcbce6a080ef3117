import { dirname, resolve } from "node:path";
import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import { parseOptions } from "../../config.ts";
import type { FileSystem } from "../../files/file-system.ts";
import { nodeFileSystem } from "../../files/node-file-system.ts";
import type { HostRecord } from "../../transcript/records.ts";
import { EventTranslator } from "./events.ts";
import { hintAtTranscript } from "./compaction.ts";
import { read } from "./fields.ts";
import { callHints, promptRecords, resultHints } from "./hook-records.ts";
import { recallTools } from "./recall-tools.ts";
import { saveConversationTool } from "./save-conversation.ts";
import { joinShared, type Shared } from "./shared.ts";

/** How long `dispose` may take; the host grants 5 s to all plugins together. */
const DISPOSE_MS = 3_000;

/** What is left of those 5 s is for snippets; this much they get in any case. */
const ENDED_MS = 4_500;
const EXTRACT_MS = 500;

/**
 * The hooks of one plugin instance. No hook throws or rejects whatever it is given, none waits for anything:
 * the host calls some of them in the middle of its own work, and a failure there fails the user's prompt.
 */
export function createHooks(input: PluginInput, rawOptions: unknown, fs: FileSystem = nodeFileSystem): Hooks {
  const { options, problems } = parseOptions(rawOptions);
  const root = projectRoot(input);
  const shared = joinShared(root, resolve(root, options.directory), options, input, fs);
  const translator = new EventTranslator();
  const tell = once(() => shared.notices.options(problems));
  const record = (make: () => readonly HostRecord[]): void => {
    try {
      for (const host of make()) {
        shared.recorder.accept(host);
        shared.turns.heard(host);
      }
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
    dispose: () => leave(shared).catch((error: unknown) => shared.notices.failure(error)),
    tool: {
      ...(options.tools.includes("save_conversation") ? saveConversationTool(shared, options, root) : {}),
      ...recallTools(shared, options),
    },
    ...(options.compactionHint
      ? { "experimental.session.compacting": (about, output) => hintAtTranscript(shared, options, about, output) }
      : {}),
  };
}

/** The folder that relative paths start from: the worktree, or outside of one the folder that was opened. */
function projectRoot(input: Pick<PluginInput, "worktree" | "directory">): string {
  const { worktree, directory } = input;
  const isRoot = worktree === undefined || worktree === "" || dirname(worktree) === worktree;
  return isRoot ? directory : worktree;
}

async function leave(shared: Shared): Promise<void> {
  shared.instances = Math.max(0, shared.instances - 1);
  const began = performance.now();
  const resting = shared.turns.resting;
  shared.turns.clear();
  const isLast = shared.instances === 0;
  // What another instance has under way goes on.
  await shared.recorder.flush(DISPOSE_MS, "all", isLast ? "soon" : "no");
  // `opencode run` ends with its turn, before a session counts as at rest.
  for (const sessionID of resting) shared.autoExtract?.add(sessionID);
  if (!isLast) return;
  await shared.autoExtract?.end(Math.max(EXTRACT_MS, ENDED_MS - (performance.now() - began)));
  await shared.closeTools();
  shared.recorder.release();
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
