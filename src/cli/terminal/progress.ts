/** A bar on standard error, for work that turns out to take long. */
import type { SingleBar } from "cli-progress";
import type { Progress } from "../command.ts";
import type { Output } from "../io.ts";

/** Work that is done sooner shows no bar. */
const DELAY_MS = 1_000;

export interface ShownProgress extends Progress {
  /** Takes the bar off the line, so that something else can be written; it comes back with the next advance. */
  clear(): void;
}

const NONE: ShownProgress = { advance: () => undefined, end: () => undefined, clear: () => undefined };

export function createProgress(stderr: Output, total: number, unit: string): ShownProgress {
  if (!stderr.isTerminal || total <= 0) return NONE;
  let done = 0;
  let bar: SingleBar | undefined;
  let ended = false;
  const show = async (): Promise<void> => {
    const opened = await openBar(total, unit);
    if (ended) return;
    bar = opened;
    bar.start(total, done);
  };
  const timer = setTimeout(() => {
    void show();
  }, DELAY_MS);
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

/** Loaded only when a bar is shown: most runs end before. */
async function openBar(total: number, unit: string): Promise<SingleBar> {
  const { default: progress } = await import("cli-progress");
  return new progress.SingleBar({
    format: `{bar} {value}/${total} ${unit}`,
    barsize: 24,
    clearOnComplete: true,
    hideCursor: false,
    linewrap: null,
    noTTYOutput: false,
    barCompleteChar: "█",
    barIncompleteChar: "░",
  });
}
