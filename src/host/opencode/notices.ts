import type { PluginInput } from "@opencode-ai/plugin";
import type { FaultEvent } from "../../files/fault-episode.ts";
import { describeFault, errorCode, LINK_OUT } from "../../files/fault.ts";
import type { OptionProblem } from "../../config.ts";

type Client = PluginInput["client"];
type Level = "info" | "warn" | "error";

/** Different failures of ours that are told in one process; a broken host could make thousands. */
const MAX_FAILURES = 20;
const TITLE = "Transcripts";

/**
 * Tells the user what keeps a transcript from being complete: once each, as a toast and a line in opencode's log.
 * Never awaited, never throws; while the host starts it must not be called (a request then blocks the host).
 */
export class Notices {
  readonly #client: () => Client;
  readonly #told = new Set<string>();
  /** Files that cannot be written at the moment. */
  readonly #failing = new Set<string>();
  /** Entries that were dropped since writing began to fail. */
  #missing = 0;

  constructor(client: () => Client) {
    this.#client = client;
  }

  options(problems: readonly OptionProblem[]): void {
    for (const { message } of problems) this.#once(`option ${message}`, "warn", message);
  }

  /** Something that was asked for and did not happen. */
  warn(message: string): void {
    this.#once(message, "warn", message);
  }

  /** Snippets that were not stored: told once, as what ails one session ails most. */
  autoExtract(message: string): void {
    this.#once("autoExtract", "warn", message);
  }

  /** What ails one file ails most of them: it is told with the first, and its end with the last. */
  fault(event: FaultEvent): void {
    if (event.kind === "fault") {
      this.#failing.add(event.path);
      if (this.#failing.size > 1) return;
      return this.#tell(
        "error",
        `Recording is interrupted: ${event.fault.message} File: ${event.path}. Entries are kept in memory and written when it works again.`,
      );
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
      `A transcript entry was lost by a failure of opencode-transcripts (${what}). Please report it.`,
    );
  }

  #once(key: string, level: Level, message: string): void {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#tell(level, message);
  }

  #tell(level: Level, message: string): void {
    const variant = level === "warn" ? "warning" : level;
    this.#send(() => this.#client().app.log({ body: { service: "opencode-transcripts", level, message } }));
    this.#send(() => this.#client().tui.showToast({ body: { title: TITLE, message, variant } }));
  }

  /** A notice that cannot be delivered is dropped: there is nobody left to tell. */
  #send(request: () => Promise<unknown>): void {
    setImmediate(() => {
      try {
        void request().catch(() => undefined);
      } catch {
        // A client without that call, as in older hosts.
      }
    });
  }
}

/** Never throws, though what was thrown at us may. */
function nameOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : "unknown";
  } catch {
    return "unknown";
  }
}
