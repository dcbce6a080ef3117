/** The figures of the sessions that a command asks for. */
import { type Between, keptFigures, readFigures, type SessionFigures } from "../queries/figures.ts";
import { figuresOf } from "../sessions/read-figures.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext } from "./command.ts";
import { withSessionsBar } from "./terminal/progress.ts";
import { ONLY_REDACTED } from "./session-input.ts";

export interface FiguresAsked {
  /** Reads all of them, since the store has them redacted. */
  isRaw: boolean;
  /** Keeps the figures of all sessions on the machine, not only those asked for. */
  keepsAll?: boolean;
  /** For standard input, which is read once; see `figuresBetween`. */
  between?: Between | undefined;
}

/** In the order of `refs`, with a bar where that takes long. What cannot be read has a `problem` and does not stop the rest. */
export async function figuresAsked(
  context: CommandContext,
  refs: readonly SessionRef[],
  { isRaw, keepsAll = false, between }: FiguresAsked,
): Promise<SessionFigures[]> {
  const { signal, stdin } = context;
  const byRef = new Map<SessionRef, SessionFigures>();
  if (isRaw) {
    for (const ref of refs.filter(({ archived }) => archived !== null))
      byRef.set(ref, { ref, figures: null, problem: `it ${ONLY_REDACTED}` });
  } else {
    const kept = await keptFigures(refs, context, {
      signal,
      keepsAll,
      withProgress: (work) => withSessionsBar(context, work),
      onUnused: (message) => context.note(`The figures in the store were not used: ${message}`),
      withStore: async (place, readOnly, work) => {
        const { withStore } = await import("../store/open-store.ts");
        await withStore(place, { readOnly }, work);
      },
    });
    for (const [ref, figures] of kept) byRef.set(ref, { ref, figures, problem: null });
  }
  const open = refs.filter((ref) => !byRef.has(ref));
  const progress = context.progress(open.length, "sessions");
  try {
    const files = open.filter(({ source }) => source !== "stdin");
    for (const each of await readFigures(files, { onRead: () => progress.advance(), signal }))
      byRef.set(each.ref, each);
    const piped = open.find(({ source }) => source === "stdin");
    if (piped) {
      const figures = await figuresOf(piped, { stdin, signal, ...(between === undefined ? {} : { between }) });
      signal.throwIfAborted();
      byRef.set(piped, { ref: piped, figures, problem: null });
    }
    return refs.flatMap((ref) => byRef.get(ref) ?? []);
  } finally {
    progress.end();
  }
}
