import * as fs from "node:fs";

/** Milliseconds on a clock that all processes of a machine share. */
export function clockMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Kernel's counts for one thread, in ms since it started: time on a processor, and time waiting for one. */
interface ThreadTime {
  run: number;
  queued: number;
}

/** The threads of a process; none where the system does not tell (everywhere but on Linux). */
function threadTimes(pid: number): Map<string, ThreadTime> {
  const folder = `/proc/${pid}/task`;
  const times = new Map<string, ThreadTime>();
  if (!fs.existsSync(folder)) return times;
  for (const thread of fs.readdirSync(folder)) {
    try {
      const [run, queued] = fs.readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ");
      times.set(thread, { run: Number(run) / 1e6, queued: Number(queued) / 1e6 });
    } catch {
      // The thread has ended.
    }
  }
  return times;
}

/** For how long the host of a virtual machine has taken each processor from it, in ms, to 10 ms. */
function stolenMs(): number[] {
  if (!fs.existsSync("/proc/stat")) return [];
  const lines = fs.readFileSync("/proc/stat", "utf8").split("\n");
  return lines.filter((line) => /^cpu\d/.test(line)).map((line) => Number(line.split(" ")[8]) * 10);
}

/** Time on a processor that a process's main thread has had, in ms. Undefined where the system does not tell. */
export function mainRunMs(pid: number): number | undefined {
  return threadTimes(pid).get(`${pid}`)?.run;
}

/**
 * How much of a stretch of time the machine took from a process whose main thread shows every `beatMs` that it
 * lives. Without a sign of life it has lived for one beat at most, and as long as that thread used a processor.
 * (`usedMs` is undefined if nobody knows.)
 */
export function pausedMs(stretchMs: number, usedMs: number | undefined, beatMs: number): number {
  return usedMs === undefined ? 0 : Math.max(0, stretchMs - beatMs - Math.max(0, usedMs));
}

/** For how long the machine did not let this process run, in ms since the object was made. */
export class LostTime {
  readonly #beatMs: number;
  #last = { at: clockMs(), threads: threadTimes(process.pid), stolen: stolenMs(), run: 0 };
  #total = 0;

  constructor(beatMs: number) {
    this.#beatMs = beatMs;
    this.sample();
  }

  /**
   * To be called every `beatMs`. Time counts as lost if the process was paused, if one of its threads stood in the
   * queue for a processor, or if the host took a processor away: a record passes through several threads, and any of
   * them can hold it up.
   */
  sample(): { at: number; lost: number; run: number } {
    const at = clockMs();
    const threads = threadTimes(process.pid);
    const stolen = stolenMs();
    const { user, system } = process.cpuUsage();
    const run = threads.get(`${process.pid}`)?.run ?? (user + system) / 1000;
    const last = this.#last;
    const stretch = at - last.at;
    const queued = [...threads].map(([id, time]) => time.queued - (last.threads.get(id)?.queued ?? 0));
    const taken = stolen.map((time, processor) => time - (last.stolen[processor] ?? 0));
    const lost = Math.max(pausedMs(stretch, run - last.run, this.#beatMs), ...queued);
    this.#total += Math.max(Math.min(stretch, lost), ...taken);
    this.#last = { at, threads, stolen, run };
    return { at, lost: this.#total, run };
  }
}
