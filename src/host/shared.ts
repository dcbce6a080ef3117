import { join } from "node:path";
import { judgedEnd } from "../agents/opencode/opencode-endings.ts";
import { type OptionProblem, type Options, parseOptions } from "../config.ts";
import type { FileSystem } from "../transcript/files/file-system.ts";
import { createRecorder } from "../transcript/create-recorder.ts";
import type { Recorder } from "../transcript/recorder.ts";
import type { RecorderQueries } from "../transcript/records.ts";
import { configuredFolder, homeFolder, hostDataFolder } from "../user-folders.ts";
import type { ToolSurroundings } from "../tools/runner/tool-requests.ts";
import type { ToolRunner } from "../tools/runner/tool-runner.ts";
import { VERSION } from "../version.ts";
import { endWithProcess } from "./process-end.ts";
import { AutoExtract } from "./extract-when-idle.ts";
import { Notices, type NoticeClient } from "./notices.ts";
import { Turns } from "./turn-ends.ts";

/** Maximum wait for an answer of the host, in milliseconds. */
export const ANSWER_MS = 5_000;

/** The host, as one plugin instance sees it. */
export interface HostView {
  /** Opened folder. */
  readonly directory: string;
  readonly client: NoticeClient;
  readonly queries: RecorderQueries;
  /** Asks the host to summarize a session. Rejects if that fails. Undefined: the host cannot be asked. */
  readonly summarize?: (sessionID: string) => Promise<void>;
  /** Signals on which the host does not end its plugins in good order. */
  readonly signals: readonly NodeJS.Signals[];
}

/**
 * State shared by the plugin's instances on one folder. opencode may create a new instance before it disposes the old
 * one, and two recorders would each have only some of the unfinished entries.
 */
export interface Shared {
  readonly recorder: Recorder;
  readonly notices: Notices;
  readonly turns: Turns;
  /** Runs the tools; created by the first call. */
  readonly runner: () => Promise<ToolRunner>;
  /** Releases the resources of the tools. Never rejects. */
  readonly closeTools: () => Promise<void>;
  /** Defined if the option is set. */
  readonly autoExtract: AutoExtract | undefined;
  readonly fs: FileSystem;
  /** Folder for transcripts and saved sessions. */
  readonly dataFolder: string;
  /** Number of instances that are not disposed. */
  instances: number;
  /** The latest instance's view of the host. */
  host: HostView;
}

/** Returns the shared state for a project's root and options, created by the first instance. */
export function joinShared(root: string, options: Options, host: HostView, fs: FileSystem): Shared {
  const dataFolder = configuredFolder(root, options.directory, surroundings().home);
  const registry = onceInProcess("shared", () => new Map<string, Shared>());
  const key = JSON.stringify([dataFolder, options]);
  let shared = registry.get(key);
  if (!shared) {
    shared = makeShared(root, dataFolder, options, host, fs);
    registry.set(key, shared);
  }
  shared.instances += 1;
  shared.host = host;
  return shared;
}

export interface LeaveTimes {
  /** Maximum time for flushing, in milliseconds. */
  flushMs: number;
  /** Time until which snippets are stored, in milliseconds from the start; they get some in any case. */
  endedMs: number;
}

/** Maximum time for flushing while the disk refuses to be written, in milliseconds: the host must not end later for it. */
const FAILING_FLUSH_MS = 200;
/** Maximum wait until the host has taken the last notices, in milliseconds. */
const DELIVER_MS = 300;
/** Time that snippets get in any case, in milliseconds. */
const EXTRACT_MS = 500;

/**
 * Ends one instance. The last one ends the recording; `isContinued`: not unfinished texts and calls, because a new instance
 * continues in the middle of a turn.
 */
export async function leaveShared(shared: Shared, times: LeaveTimes, isContinued = false): Promise<void> {
  const { turns, autoExtract } = shared;
  shared.instances = Math.max(0, shared.instances - 1);
  const resting = turns.resting;
  turns.clear();
  // `opencode run` exits right after its turn, before the session counts as idle.
  for (const sessionID of resting) autoExtract?.add(sessionID);
  // Unfinished texts and calls of other instances are left alone.
  if (shared.instances > 0 || isContinued) return flush(shared, times.flushMs, "no");
  await endRecording(shared, times);
}

async function flush({ recorder, notices }: Shared, flushMs: number, end: "soon" | "no"): Promise<void> {
  await recorder.flush(recorder.isFailing ? FAILING_FLUSH_MS : flushMs, "all", end);
  await notices.deliver(DELIVER_MS);
}

/** Ends the recording of all instances. */
export async function endRecording(shared: Shared, { flushMs, endedMs }: LeaveTimes): Promise<void> {
  const { recorder, autoExtract } = shared;
  const began = performance.now();
  await flush(shared, flushMs, "soon");
  await autoExtract?.end(Math.max(EXTRACT_MS, endedMs - (performance.now() - began)));
  await shared.closeTools();
  recorder.release();
}

function makeShared(root: string, dataFolder: string, options: Options, host: HostView, fs: FileSystem): Shared {
  const notices = new Notices(
    () => shared.host.client,
    () => configOf(shared.host.directory),
  );
  const recorder = createRecorder({
    dataFolder,
    options,
    judgeEnd: judgedEnd,
    queries: {
      session: (sessionID) => shared.host.queries.session(sessionID),
      history: (sessionID, limit) => shared.host.queries.history(sessionID, limit),
    },
    onFault: (event) => notices.fault(event),
    onFailure: (error) => notices.failure(error),
    ...(options.followLinks ? {} : { project: root }),
    hostOutputs: outputFolders(surroundings()),
    fs,
  });
  const turns = new Turns();
  const tools = toolsOf();
  const shared: Shared = {
    recorder,
    notices,
    turns,
    ...tools,
    autoExtract: options.autoExtract
      ? new AutoExtract({ recorder, notices, runner: tools.runner, directory: () => shared.host.directory })
      : undefined,
    fs,
    dataFolder,
    instances: 0,
    host,
  };
  if (shared.autoExtract) turns.whenever((sessionID) => shared.autoExtract?.add(sessionID));
  endWithProcess(recorder, host.signals);
  // Not awaited, because the host waits for its plugins when it starts.
  setImmediate(() => void recorder.folder.restore());
  return shared;
}

const surroundings = (): ToolSurroundings => ({ env: process.env, home: homeFolder(process.env) });

/** Returns the folders in which opencode and Kilo keep the full text of outputs; `shell` is of 2.x. */
function outputFolders(user: ToolSurroundings): string[] {
  return ["opencode", "kilo"].flatMap((host) => {
    const data = hostDataFolder(host, user);
    return [join(data, "tool-output"), join(data, "shell")];
  });
}

/** Returns the configuration file that has the plugin, for a host that opened a folder. */
async function configOf(directory: string): Promise<string | undefined> {
  return (await configEntries(directory)).at(-1)?.path;
}

async function configEntries(directory: string): ReturnType<typeof pluginEntries> {
  const { configPlaces, pluginEntries } = await import("../agents/opencode/host-config.ts");
  const where = { ...surroundings(), cwd: directory };
  const places = (["opencode", "kilo"] as const).flatMap((host) => configPlaces(host, where, undefined));
  return pluginEntries(places, where);
}

/** Returns the configuration file with these wrong options, for a host that opened a folder. */
export async function configWith(problems: readonly OptionProblem[], directory: string): Promise<string | undefined> {
  const wrong = JSON.stringify(problems);
  const entries = await configEntries(directory);
  return entries.findLast(({ options }) => JSON.stringify(parseOptions(options).problems) === wrong)?.path;
}

/** Loads the runner with the first call, since most processes never call a tool. After a close the next call creates a new one. */
function toolsOf(): Pick<Shared, "runner" | "closeTools"> {
  let runner: Promise<ToolRunner> | undefined;
  const load = async (): Promise<ToolRunner> => {
    const { ToolRunner } = await import("../tools/runner/tool-runner.ts");
    return new ToolRunner(surroundings());
  };
  return {
    runner: () => (runner ??= load()),
    closeTools: async () => {
      const closing = runner;
      runner = undefined;
      await (await closing?.catch(() => undefined))?.close();
    },
  };
}

/** Returns the one value of that name in this process, even if this module was evaluated again. */
export function onceInProcess<T>(name: string, make: () => T): T {
  const key = Symbol.for(`opencode-transcripts/${VERSION}/${name}`);
  const known: unknown = Reflect.get(globalThis, key) ?? make();
  Reflect.set(globalThis, key, known);
  // The symbol has the name and version of this package, so no other code puts anything there.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return known as T;
}
