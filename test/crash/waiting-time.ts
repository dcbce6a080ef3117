import * as fs from "node:fs";

const TASKS = "/proc/self/task";

/**
 * For how long this process was ready to run and the machine did not let it, in ms since the object was made.
 *
 * On Linux the kernel counts that for each thread. Between two samples the thread that waited longest is taken: a
 * record passes through several threads, and any of them holds it up. Elsewhere the time is estimated: a timer
 * that was due every `periodMs` and comes late, without the process having used the processor, was kept waiting.
 */
export class WaitingTime {
  readonly #periodMs: number;
  readonly #perThread = new Map<string, number>();
  readonly #isCounted = fs.existsSync(`${TASKS}/${process.pid}/schedstat`);
  #last = { at: performance.now(), cpu: usedMs() };
  #total = 0;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
    if (this.#isCounted) this.#longestWait();
  }

  /** To be called every `periodMs`. */
  sample(): number {
    const now = { at: performance.now(), cpu: usedMs() };
    const gap = now.at - this.#last.at;
    const late = Math.max(0, gap - Math.max(2 * this.#periodMs, now.cpu - this.#last.cpu));
    this.#total += this.#isCounted ? Math.min(gap, this.#longestWait()) : late;
    this.#last = now;
    return this.#total;
  }

  #longestWait(): number {
    let longest = 0;
    for (const thread of fs.readdirSync(TASKS)) {
      const waited = waitedMs(thread);
      longest = Math.max(longest, waited - (this.#perThread.get(thread) ?? 0));
      this.#perThread.set(thread, waited);
    }
    return longest;
  }
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The second field: nanoseconds in which the thread stood in a processor's queue. */
function waitedMs(thread: string): number {
  try {
    return Number(fs.readFileSync(`${TASKS}/${thread}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0; // the thread has ended
  }
}
