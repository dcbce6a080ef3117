/** The plugin for opencode 2.x: listens to the host's events and offers the tools. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import { parseOptions } from "../../config.ts";
import { nodeFileSystem } from "../../transcript/files/node-file-system.ts";
import { atMost } from "../../transcript/timeouts.ts";
import { transcriptHint } from "../compaction.ts";
import { textOf, fieldOf } from "../../parse/json-fields.ts";
import type { NoticeClient } from "../notices.ts";
import { offeredTools, type OfferedTool } from "../offered-tools.ts";
import { homeFolder } from "../../user-folders.ts";
import { configWith, endRecording, joinShared, leaveShared, type Shared } from "../shared.ts";
import { HostStore, type HostContext, type HostTool, type ToolDraft } from "./host.ts";
import { processIntake, type Instance, type Intake } from "./intake.ts";

/** Maximum time of the cleanup, in milliseconds, of the 3 s that the host grants: closing the tools may take longer. */
const CLEANUP_MS = 2_500;
/** Maximum time in the cleanup for events that wait for the host's store, in milliseconds. */
const CLEANUP_READ_MS = 300;
/** Limits of the rest of the cleanup, in which everything is written. */
const CLEANUP_TIMES = { flushMs: 1_500, endedMs: 2_000 };
/** Time that an ended instance keeps listening, in milliseconds: after a reload the new one needs a moment to start. */
const OVERLAP_MS = 1_000;
/** Maximum time until the host has taken the tools, in milliseconds; the first prompt waits for it too. */
const OFFER_MS = 2_000;
/** Delays before reopening an ended event stream, in milliseconds; the last one repeats. */
const REOPEN_DELAYS_MS = [50, 200, 1_000, 5_000];
/** Signal on which the host does not clean up. On other signals it does, after it has ended its sessions. */
const SIGNALS = ["SIGHUP"] as const;

/**
 * Starts recording and returns the cleanup function. Never rejects: the host waits for it before the first prompt, and
 * would then run without the plugin.
 */
export async function setup(context: HostContext, intake: Intake = processIntake()): Promise<() => Promise<void>> {
  const plugin = new Plugin(context, intake);
  intake.join(plugin);
  void plugin.listen();
  await atMost(OFFER_MS, plugin.offer());
  return () => plugin.end();
}

class Plugin implements Instance {
  readonly #context: HostContext;
  readonly #intake: Intake;
  readonly #parsed: ReturnType<typeof parseOptions>;
  readonly store: HostStore;
  readonly directory: string | undefined;
  /** Recordings by folder. */
  readonly #shared = new Map<string, Shared>();
  readonly #stop = new AbortController();
  #events: AsyncIterator<unknown> | undefined;

  constructor(context: HostContext, intake: Intake) {
    this.#context = context;
    this.#intake = intake;
    this.#parsed = parseOptions(context.options);
    this.directory = textOf(context.location, "directory");
    this.store = new HostStore(context, process.env, homeFolder(process.env));
  }

  sharedFor(directory: string): Shared | undefined {
    if (this.directory !== undefined && this.directory !== directory) return undefined;
    const known = this.#shared.get(directory);
    if (known) return known;
    const { options, problems } = this.#parsed;
    const root = projectRoot(directory);
    const { session } = this.#context;
    const host = {
      directory,
      client: NO_TOASTS,
      queries: this.store,
      signals: SIGNALS,
      // Not in the preview.
      ...(typeof session?.compact === "function"
        ? { summarize: async (sessionID: string): Promise<void> => void (await session.compact?.({ sessionID })) }
        : {}),
    };
    const shared = joinShared(root, options, host, nodeFileSystem);
    this.#shared.set(directory, shared);
    shared.notices.options(problems, () => configWith(problems, directory));
    return shared;
  }

  /** Passes events on until the instance ends. Reopens the stream if it ends earlier. */
  async listen(): Promise<void> {
    for (let attempt = 0; !this.#stop.signal.aborted; attempt++) {
      try {
        const stream = this.#context.event.subscribe({ signal: this.#stop.signal });
        const events = stream[Symbol.asyncIterator]();
        this.#events = events;
        if (attempt > 0) this.#intake.catchUpAll();
        for (let next = await events.next(); next.done !== true; next = await events.next()) {
          attempt = 0;
          this.#intake.accept(next.value);
        }
      } catch {
        // A broken stream is treated like an ended one.
      }
      if (this.#stop.signal.aborted) return;
      const delayMs = REOPEN_DELAYS_MS[Math.min(attempt, REOPEN_DELAYS_MS.length - 1)];
      await sleep(delayMs, undefined, { ref: false });
    }
  }

  /** Prepares the recording, and registers the tools and the hook for summaries. Never rejects. */
  async offer(): Promise<void> {
    const { tool, session } = this.#context;
    const { options } = this.#parsed;
    const tools = offeredTools(options, projectRoot).map((offered) => this.#hostTool(offered));
    await Promise.all([
      // The first entry then need not wait until all that records is loaded.
      attempt(() => this.directory !== undefined && this.sharedFor(this.directory)),
      attempt(() => tools.length > 0 && tool?.transform?.((draft) => tools.forEach((each) => addTo(draft, each)))),
      attempt(() => options.compactionHint && session?.hook?.("compaction", (about) => this.#hint(about))),
    ]);
  }

  /** Ends recording within the time that the host allows. Never rejects. */
  async end(): Promise<void> {
    await atMost(CLEANUP_MS, this.#leaveAll());
    // During a reload a turn may continue: this instance records its events until the new one listens.
    setTimeout(() => {
      for (const shared of this.#shared.values()) if (shared.instances === 0) void endRecording(shared, CLEANUP_TIMES);
      this.#intake.leave(this);
      this.#stop.abort();
      void this.#events?.return?.()?.catch(() => undefined);
    }, OVERLAP_MS).unref();
  }

  async #leaveAll(): Promise<void> {
    await this.#intake.settle(CLEANUP_READ_MS);
    await Promise.allSettled(
      Array.from(this.#shared, ([directory, shared]) =>
        // Before the host ends it interrupts all turns, so one that goes on means a reload.
        leaveShared(shared, CLEANUP_TIMES, this.#intake.isUnderWay(directory)),
      ),
    );
  }

  #hostTool({ name, description, args, call }: OfferedTool): HostTool {
    const { $schema: _, ...schema } = z.toJSONSchema(z.strictObject(args), { io: "input" });
    return {
      name,
      description,
      jsonSchema: schema,
      input: schema,
      options: { codemode: false },
      execute: async (given, caller) => {
        const sessionID = textOf(caller, "sessionID") ?? "";
        const { shared, directory } = await this.#intake.sharedOf(sessionID);
        const text = await call(shared, given, { sessionID, directory, abort: this.#stop.signal });
        return { content: [{ type: "text", text }], structured: {}, metadata: {} };
      },
    };
  }

  /** Adds the transcript's path to the prompt for a summary. Never rejects: that would make the summary fail. */
  async #hint(about: unknown): Promise<void> {
    try {
      const sessionID = textOf(about, "sessionID");
      const system = fieldOf(about, "system");
      if (sessionID === undefined || !Array.isArray(system)) return;
      const { shared } = await this.#intake.sharedOf(sessionID);
      const hint = await transcriptHint(shared, this.#parsed.options, sessionID);
      if (hint !== undefined) system.push({ type: "text", text: hint });
    } catch {
      // The summary works without it.
    }
  }
}

/** Does something that recording works without. Never rejects. */
async function attempt(act: () => unknown): Promise<void> {
  try {
    await act();
  } catch {
    // The host does not have it, or refuses.
  }
}

/** Adds a tool; the host may refuse it without the others. */
function addTo(draft: ToolDraft, tool: HostTool): void {
  void attempt(() => draft.add(tool));
}

/** In 2.x a plugin cannot show a notice; Node's warnings go to stderr of the host's server. */
const NO_TOASTS: NoticeClient = {
  app: {
    log: async ({ body }) => process.emitWarning(body.message),
  },
  tui: { showToast: async () => undefined },
};

/** Returns the base of relative paths: the folder of the repository, or the opened folder if there is none. */
function projectRoot(directory: string): string {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return directory;
  }
}
