/** Progress bar on standard error, for work that takes long. */
import type { SingleBar } from "cli-progress";

/** Delay before the bar appears, in milliseconds. */
const DELAY_MS = 1_000;

export interface Progress {
  advance(by?: number): void;
  end(): void;
}

export interface ShownProgress extends Progress {
  /** Clears the bar, so that something else can be written; it reappears with the next advance. */
  clear(): void;
}

const NONE: ShownProgress = { advance: () => undefined, end: () => undefined, clear: () => undefined };

/**
 * Runs work on sessions that reports how many are done, with a bar for them. Work in several parts, each of which counts
 * from 0, has a bar for each part.
 */
export async function withSessionsBar<T>(
  { progress }: { progress: (total: number) => Progress },
  work: (onProgress: (report: { done: number; total: number }) => void) => Promise<T>,
): Promise<T> {
  let bar: Progress | undefined;
  let last = { done: 0, total: 0 };
  try {
    return await work((report) => {
      const isNextPart = report.done < last.done || report.total !== last.total;
      if (isNextPart) bar?.end();
      if (bar === undefined || isNextPart) bar = progress(report.total);
      bar.advance(report.done - (isNextPart ? 0 : last.done));
      last = report;
    });
  } finally {
    bar?.end();
  }
}

/** `stderr`: standard error. */
export function createProgress(
  stderr: { isTerminal: boolean; write(text: string): Promise<void> },
  total: number,
): ShownProgress {
  if (!stderr.isTerminal || total <= 0) return NONE;
  let done = 0;
  let bar: SingleBar | undefined;
  let ended = false;
  const show = async (): Promise<void> => {
    const opened = await openBar(total);
    if (ended) return;
    bar = opened;
    bar.start(total, done);
  };
  const timer = setTimeout(() => void show(), DELAY_MS);
  timer.unref();
  const clear = (): void => {
    if (bar) void stderr.write("\r\u001b[K").catch(() => undefined);
  };
  return {
    clear,
    advance: (by = 1) => {
      done = Math.min(total, done + by);
      bar?.update(done);
    },
    end: () => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      bar?.stop();
      bar = undefined;
    },
  };
}

/** Loaded only when a bar is shown, since most runs end before. */
async function openBar(total: number): Promise<SingleBar> {
  const { default: progress } = await import("cli-progress");
  return new progress.SingleBar({
    format: `{bar} {value}/${total} sessions`,
    barsize: 24,
    clearOnComplete: true,
    hideCursor: false,
    linewrap: null,
    noTTYOutput: false,
    barCompleteChar: "█",
    barIncompleteChar: "░",
  });
}
