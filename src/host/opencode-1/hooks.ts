import { dirname, resolve } from "node:path";
import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import { parseOptions } from "../../config.ts";
import type { FileSystem } from "../../transcript/files/file-system.ts";
import { nodeFileSystem } from "../../transcript/files/node-file-system.ts";
import type { HostRecord } from "../../transcript/records.ts";
import { EventTranslator } from "./events.ts";
import { hintAtTranscript } from "../compaction.ts";
import { callHints, promptRecords, resultHints } from "./hook-records.ts";
import { offeredTools } from "../offered-tools.ts";
import { OpencodeQueries, summarize } from "./queries.ts";
import { joinShared, leaveShared, type HostView } from "../shared.ts";

/** Limits of `dispose`; the host grants 5 s to all plugins together. */
const DISPOSE_TIMES = { flushMs: 3_000, endedMs: 4_500 };

/**
 * Creates the hooks of one plugin instance. No hook throws, rejects or waits: the host calls some of them in the middle
 * of its own work, where a failure would fail the user's prompt.
 */
export function createHooks(input: PluginInput, rawOptions: unknown, fs: FileSystem = nodeFileSystem): Hooks {
  const { options, problems } = parseOptions(rawOptions);
  const root = projectRoot(input);
  const shared = joinShared(root, resolve(root, options.directory), options, viewOf(input), fs);
  const translator = new EventTranslator();
  const record = (make: () => readonly HostRecord[]): void => {
    try {
      for (const host of make()) {
        shared.recorder.accept(host);
        shared.turns.heard(host);
      }
      // Not earlier, because a request made while the host starts blocks it.
      shared.notices.options(problems);
    } catch (error) {
      shared.notices.failure(error);
    }
  };
  return {
    event: async (given) => record(() => translator.translate(given)),
    "chat.message": async (about, output) => record(() => promptRecords(translator, about, output)),
    "tool.execute.before": async (about, output) => record(() => callHints(about, output)),
    "tool.execute.after": async (about, output) => record(() => resultHints(about, output)),
    dispose: () => leaveShared(shared, DISPOSE_TIMES).catch((error: unknown) => shared.notices.failure(error)),
    tool: Object.fromEntries(
      offeredTools(options, () => root).map(({ name, description, args, call }) => [
        name,
        { description, args, execute: (given, caller) => call(shared, given, caller) },
      ]),
    ),
    ...(options.compactionHint
      ? { "experimental.session.compacting": (about, output) => hintAtTranscript(shared, options, about, output) }
      : {}),
  };
}

/** `opencode run` and `serve` dispose no plugins on these signals. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function viewOf({ client, directory }: PluginInput): HostView {
  return {
    directory,
    client,
    queries: new OpencodeQueries(client, directory),
    summarize: (sessionID) => summarize(client, directory, sessionID),
    signals: SIGNALS,
  };
}

/** Returns the base of relative paths: the worktree, or the opened folder if there is none. */
function projectRoot(input: Pick<PluginInput, "worktree" | "directory">): string {
  const { worktree, directory } = input;
  const isRoot = worktree === undefined || worktree === "" || dirname(worktree) === worktree;
  return isRoot ? directory : worktree;
}
