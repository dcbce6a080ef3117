/** The figures of the sessions that a command asks for. */
import { type Between, keptFigures, readFigures, type SessionFigures } from "../queries/figures.ts";
import { given } from "../given.ts";
import type { SessionRef } from "../places/session-ref.ts";
import type { CommandContext } from "./context.ts";
import { withSessionsBar } from "./terminal/progress.ts";

export interface FiguresAsked {
  /** Keeps the figures of all sessions on the machine, not only those asked for. */
  keepsAll?: boolean;
  /** For standard input, which is read once; see `figuresBetween`. */
  between?: Between | undefined;
}

/** Shows a bar if it takes long. A session that cannot be read has a `problem` and does not stop the rest. */
export async function figuresAsked(
  context: CommandContext,
  refs: readonly SessionRef[],
  { keepsAll = false, between }: FiguresAsked = {},
): Promise<SessionFigures[]> {
  const { signal, stdin } = context;
  const known = await keptFigures(refs, context, {
    signal,
    keepsAll,
    withProgress: (work) => withSessionsBar(context, work),
    onUnused: (message) => context.note(`The figures in the store were not used: ${message}`),
    withStore: async (readOnly, work) => {
      const { withStore } = await import("../store/open-store.ts");
      await withStore(context, { readOnly }, work);
    },
  });
  const progress = context.progress(refs.length - known.size);
  try {
    const piped = refs.find(({ place }) => place === "stdin");
    if (piped) {
      const { figuresOf } = await import("../sessions/read-figures.ts");
      known.set(piped, await figuresOf(piped, { stdin, signal, ...given({ between }) }));
    }
    return await readFigures(refs, { known, onRead: () => progress.advance(), signal });
  } finally {
    progress.end();
  }
}
