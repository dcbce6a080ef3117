import { setImmediate as yieldToHost } from "node:timers/promises";
import { type FaultEvent, LINK_OUT, describeFault, errorCode } from "../transcript/files/fault.ts";
import type { OptionProblem } from "../config.ts";
import { atMost } from "../transcript/timeouts.ts";

type Level = "info" | "warn" | "error";

/** The requests of opencode's client that are made here. */
export interface NoticeClient {
  app: { log: (options: { body: { service: string; level: Level; message: string } }) => Promise<unknown> };
  tui: { showToast: (options: { body: ToastBody }) => Promise<unknown> };
}

interface ToastBody {
  title: string;
  message: string;
  variant: "info" | "warning" | "error";
}

/** Codes of faults that mostly mean a wrong folder, which is an option. */
const FOLDER_FAULTS: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM", "ENOTDIR"]);

/** Maximum number of different internal failures reported by one process; a broken host could cause thousands. */
const MAX_FAILURES = 20;
/** Begins each line in a host's log, and is the title of each toast. */
const NAME = "opencode-transcripts";

/**
 * Reports problems with recording to the user, once each, as a toast and a line in opencode's log. Never throws and is
 * never awaited. Must not be called while the host starts, because a request then blocks the host.
 */
export class Notices {
  readonly #client: () => NoticeClient;
  readonly #told = new Set<string>();
  /** Files that cannot be written at the moment. */
  readonly #failing = new Set<string>();
  /** Entries dropped since writing began to fail. */
  #missing = 0;
  /** Requests to the host that are under way. */
  readonly #pending = new Set<Promise<unknown>>();

  constructor(client: () => NoticeClient) {
    this.#client = client;
  }

  /** Reports wrong options in one message. */
  options(problems: readonly OptionProblem[]): void {
    if (problems.length > 0) this.warn(problems.map(({ message }) => message).join(" "));
  }

  /** Reports a request that could not be carried out. Messages with the same `cause` are reported only the first time. */
  warn(message: string, cause = message): void {
    this.#once(cause, "warn", message);
  }

  /** Reports a write fault. A fault mostly affects all files: the first one is reported, and the recovery of the last. */
  fault(event: FaultEvent): void {
    if (event.kind === "fault") {
      this.#failing.add(event.path);
      if (this.#failing.size > 1) return;
      const message = `Recording is interrupted: ${event.fault.message} File: ${event.path}. Entries are kept in memory until the file can be written again.`;
      const advice = FOLDER_FAULTS.has(event.fault.code)
        ? ' The option "directory" names another folder; `transcripts doctor` names the file that has it.'
        : "";
      return this.#tell("error", message + advice);
    }
    this.#failing.delete(event.path);
    this.#missing += event.missing;
    if (this.#failing.size > 0) return;
    const missing = this.#missing;
    this.#missing = 0;
    const lost = missing === 0 ? "nothing is missing." : `${missing} entries are missing; the transcripts say where.`;
    this.#tell(missing === 0 ? "info" : "warn", `Recording works again: ${lost}`);
  }

  failure(error: unknown): void {
    if (errorCode(error) === LINK_OUT) {
      const { message } = describeFault(error);
      return this.#once(message, "error", message);
    }
    if (this.#told.size >= MAX_FAILURES) return;
    const what = nameOf(error);
    this.#once(
      `failure ${what}`,
      "error",
      `An internal error of opencode-transcripts lost a transcript entry (${what}). Please report it.`,
    );
  }

  /** Waits until the host has taken all notices, because the process may end. Never rejects. */
  async deliver(timeoutMs: number): Promise<void> {
    await atMost(timeoutMs, Promise.all(this.#pending));
  }

  #once(key: string, level: Level, message: string): void {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#tell(level, message);
  }

  #tell(level: Level, message: string): void {
    const sent = this.#send(level, message).finally(() => this.#pending.delete(sent));
    this.#pending.add(sent);
  }

  /** Never rejects: a notice that cannot be delivered is dropped, since there is no other way to report it. */
  async #send(level: Level, message: string): Promise<void> {
    await yieldToHost();
    const variant = level === "warn" ? "warning" : level;
    await Promise.allSettled([
      // The client of an older host may lack one of these.
      (async () => this.#client().app.log({ body: { service: NAME, level, message: `${NAME}: ${message}` } }))(),
      (async () => this.#client().tui.showToast({ body: { title: NAME, message, variant } }))(),
    ]);
  }
}

/** Describes an error. Never throws, though reading the error's fields may. */
function nameOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : "unknown";
  } catch {
    return "unknown";
  }
}
