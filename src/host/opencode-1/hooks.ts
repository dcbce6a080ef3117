import { dirname } from "node:path";
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
import { fieldOf } from "../../parse/json-fields.ts";
import { configWith, joinShared, leaveShared, onceInProcess, type HostView } from "../shared.ts";

/** Limits of `dispose`; the host grants 5 s to all plugins together. */
const DISPOSE_TIMES = { flushMs: 3_000, endedMs: 4_500 };

/**
 * Creates the hooks of one plugin instance. No hook throws, rejects or waits: the host calls some of them in the middle
 * of its own work, where a failure would fail the user's prompt.
 */
export function createHooks(input: PluginInput, rawOptions: unknown, fs: FileSystem = nodeFileSystem): Hooks {
  const { options, problems } = parseOptions(rawOptions);
  const root = projectRoot(input);
  const shared = joinShared(root, options, viewOf(input), fs);
  const translator = new EventTranslator();
  const heard = onceInProcess("heard", (): Heard => new WeakMap());
  /** `live`: the host's object, which it passes to each instance of the plugin. */
  const record = (live: unknown, make: () => readonly HostRecord[]): void => {
    try {
      if (wasHeard(heard, live, input.directory)) return;
      for (const host of make()) {
        shared.recorder.accept(host);
        shared.turns.heard(host);
      }
      // Not earlier, because a request made while the host starts blocks it.
      shared.notices.options(problems, () => configWith(problems, input.directory));
    } catch (error) {
      shared.notices.failure(error);
    }
  };
  return {
    event: async (given) => record(eventIn(given), () => translator.translate(given)),
    "chat.message": async (about, output) => record(output, () => promptRecords(translator, about, output)),
    "tool.execute.before": async (about, output) => record(output, () => callHints(about, output)),
    "tool.execute.after": async (about, output) => record(output, () => resultHints(about, output)),
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

/** Returns the event passed to the hook; undefined if reading it throws. */
function eventIn(given: unknown): unknown {
  try {
    return fieldOf(given, "event");
  } catch {
    return undefined;
  }
}

/** The host's objects that an instance has heard, with its folder. */
type Heard = WeakMap<object, Set<string>>;

/**
 * Returns whether an instance for the folder has heard this object. Two configurations may name this plugin, each with a
 * path of its own, and then two instances hear everything.
 */
function wasHeard(heard: Heard, live: unknown, directory: string): boolean {
  if (typeof live !== "object" || live === null) return false;
  const folders = heard.get(live) ?? new Set();
  if (folders.has(directory)) return true;
  heard.set(live, folders.add(directory));
  return false;
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
