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

/** Time in which several problems become one toast, in milliseconds. */
const TOGETHER_MS = 200;
/** Codes of faults that mostly mean a wrong folder, which is an option. */
const FOLDER_FAULTS: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM", "ENOTDIR"]);
const BY_WEIGHT: readonly Level[] = ["error", "warn", "info"];

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
  readonly #configFile: () => Promise<string | undefined>;
  #waiting: { level: Level; message: string }[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Lookups of configuration files and requests to the host that are under way. */
  readonly #pending = new Set<Promise<void>>();

  /** `configFile` returns the configuration that has the plugin, if it can be found. */
  constructor(client: () => NoticeClient, configFile: () => Promise<string | undefined> = async () => undefined) {
    this.#client = client;
    this.#configFile = configFile;
  }

  /** Reports wrong options in one message. `file` returns the configuration that has them, if it can be found. */
  options(problems: readonly OptionProblem[], file: () => Promise<string | undefined>): void {
    if (problems.length === 0) return;
    const what = problems.map(({ message }) => message).join(" ");
    if (this.#told.has(what)) return;
    this.#told.add(what);
    const tell = (path?: string): void => this.#tell("warn", path === undefined ? what : `In ${path}: ${what}`);
    this.#track(file().then(tell, () => tell()));
  }

  /** Reports a request that could not be carried out. */
  warn(message: string): void {
    this.#once(message, "warn", message);
  }

  /** Reports snippets that were not stored. Only the first time, since the cause mostly affects every session. */
  autoExtract(message: string): void {
    this.#once("autoExtract", "warn", message);
  }

  /** Reports a write fault. A fault mostly affects all files: the first one is reported, and the recovery of the last. */
  fault(event: FaultEvent): void {
    if (event.kind === "fault") {
      this.#failing.add(event.path);
      if (this.#failing.size > 1) return;
      const message = `Recording is interrupted: ${event.fault.message} File: ${event.path}. Entries are kept in memory until the file can be written again.`;
      if (!FOLDER_FAULTS.has(event.fault.code)) return this.#tell("error", message);
      return this.#tellOfOption("error", message, "directory");
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
      if (this.#told.has(message)) return;
      this.#told.add(message);
      return this.#tellOfOption("error", message, "followLinks");
    }
    if (this.#told.size >= MAX_FAILURES) return;
    const what = nameOf(error);
    this.#once(
      `failure ${what}`,
      "error",
      `An internal error of opencode-transcripts lost a transcript entry (${what}). Please report it.`,
    );
  }

  #once(key: string, level: Level, message: string): void {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#tell(level, message);
  }

  /** Adds where the option that may solve the problem can be changed. */
  #tellOfOption(level: Level, message: string, option: string): void {
    const tell = (file?: string): void =>
      this.#tell(level, file === undefined ? message : `${message} The option "${option}" can be changed in ${file}.`);
    this.#track(this.#configFile().then(tell, () => tell()));
  }

  #tell(level: Level, message: string): void {
    this.#waiting.push({ level, message });
    this.#timer ??= setTimeout(() => this.#send(), TOGETHER_MS).unref();
  }

  /** Sends what waits and waits until the host has taken it, because the process may end. Never rejects. */
  async deliver(timeoutMs: number): Promise<void> {
    await atMost(timeoutMs, this.#deliver());
  }

  async #deliver(): Promise<void> {
    await Promise.all(this.#pending);
    this.#send();
    await Promise.all(this.#pending);
  }

  /** Sends all waiting notices: a line each to the log, and one toast. */
  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const notices = this.#waiting.splice(0);
    if (notices.length === 0) return;
    for (const { level, message } of notices) {
      this.#request(() => this.#client().app.log({ body: { service: NAME, level, message: `${NAME}: ${message}` } }));
    }
    const worst = BY_WEIGHT.find((level) => notices.some((notice) => notice.level === level)) ?? "info";
    const message = notices.map((notice) => notice.message).join("\n");
    const variant = worst === "warn" ? "warning" : worst;
    this.#request(() => this.#client().tui.showToast({ body: { title: NAME, message, variant } }));
  }

  /** Sends a notice to the host. A failure is ignored: nowhere else could it be reported. */
  #request(request: () => Promise<unknown>): void {
    try {
      this.#track(request().then(() => undefined));
    } catch {
      // The client of an older host lacks this call.
    }
  }

  #track(work: Promise<void>): void {
    const settled = Promise.resolve(work)
      .catch(() => undefined)
      .finally(() => this.#pending.delete(settled));
    this.#pending.add(settled);
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
