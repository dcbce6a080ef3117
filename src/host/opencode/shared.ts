import { homedir } from "node:os";
import type { PluginInput } from "@opencode-ai/plugin";
import type { Options } from "../../config.ts";
import type { FileSystem } from "../../files/file-system.ts";
import { createRecorder } from "../../transcript/create-recorder.ts";
import { recordedListPath } from "../../transcript/paths.ts";
import type { Recorder } from "../../transcript/recorder.ts";
import type { ToolSurroundings } from "../../tools/runner/tool-calls.ts";
import { NEAR_FILES } from "../../tools/runner/near-files.ts";
import { ToolRunner } from "../../tools/runner/tool-runner.ts";
import { VERSION } from "../../version.ts";
import { endWithProcess } from "../process-end.ts";
import { AutoExtract } from "./auto-extract.ts";
import { Notices } from "./notices.ts";
import { OpencodeQueries } from "./queries.ts";
import { Turns } from "./turns.ts";

/**
 * What the plugin's instances on one folder share: opencode makes an instance anew, sometimes before the old
 * one is disposed, and two recorders would each hold a part of what is under way.
 */
export interface Shared {
  readonly recorder: Recorder;
  readonly notices: Notices;
  readonly turns: Turns;
  /** What runs the tools; made with the first call. */
  readonly runner: () => ToolRunner;
  /** Gives back what the tools hold. Never rejects. */
  readonly closeTools: () => Promise<void>;
  /** Only with that option. */
  readonly autoExtract: AutoExtract | undefined;
  readonly fs: FileSystem;
  /** The folder of all data. */
  readonly dataFolder: string;
  /** Instances that are not disposed. */
  instances: number;
  /** The latest instance's view of the host. */
  input: Pick<PluginInput, "client" | "directory">;
}

const REGISTRY = Symbol.for(`opencode-transcripts/${VERSION}/shared`);

/** The shared state of a data folder with these options, made with the first instance. */
export function joinShared(
  root: string,
  dataFolder: string,
  options: Options,
  input: PluginInput,
  fs: FileSystem,
): Shared {
  const registry = sharedRegistry();
  const key = JSON.stringify([dataFolder, options]);
  let shared = registry.get(key);
  if (!shared) {
    shared = makeShared(root, dataFolder, options, input, fs);
    registry.set(key, shared);
  }
  shared.instances += 1;
  shared.input = input;
  return shared;
}

function makeShared(root: string, dataFolder: string, options: Options, input: PluginInput, fs: FileSystem): Shared {
  const notices = new Notices(() => shared.input.client);
  const recorder = createRecorder({
    dataFolder,
    options,
    queries: new OpencodeQueries(
      () => shared.input.client,
      () => shared.input.directory,
    ),
    onFault: (event) => notices.fault(event),
    onFailure: (error) => notices.failure(error),
    onWarning: (message) => notices.warn(message),
    ...(options.followLinks ? {} : { project: root }),
    recordedList: recordedListPath(surroundings()),
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
      ? new AutoExtract({ recorder, notices, runner: tools.runner, directory: () => shared.input.directory })
      : undefined,
    fs,
    dataFolder,
    instances: 0,
    input,
  };
  if (shared.autoExtract) turns.whenever((sessionID) => shared.autoExtract?.add(sessionID));
  endWithProcess(recorder);
  // Not awaited: the host waits for its plugins when it starts.
  setImmediate(() => void recorder.restoreFolder());
  return shared;
}

const surroundings = (): ToolSurroundings => ({ env: process.env, home: process.env["HOME"] ?? homedir() });

/** Most processes never call a tool: nothing is made before. After a close, the next call begins anew. */
function toolsOf(): Pick<Shared, "runner" | "closeTools"> {
  let runner: ToolRunner | undefined;
  return {
    runner: () => (runner ??= new ToolRunner({ ...surroundings(), ...NEAR_FILES })),
    closeTools: async () => {
      const closing = runner;
      runner = undefined;
      await closing?.close();
    },
  };
}

function sharedRegistry(): Map<string, Shared> {
  const known: unknown = Reflect.get(globalThis, REGISTRY);
  // The symbol is ours and carries our version: nobody else puts anything there.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (known instanceof Map) return known as Map<string, Shared>;
  const registry = new Map<string, Shared>();
  Reflect.set(globalThis, REGISTRY, registry);
  return registry;
}
