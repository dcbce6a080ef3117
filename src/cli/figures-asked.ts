/** The figures of the sessions that a command asks for. */
import { type Between, keptFigures, readFigures, type SessionFigures } from "../queries/figures.ts";
import type { Figures } from "../sessions/read-figures.ts";
import { given } from "../given.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import type { CommandContext } from "./context.ts";
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

/** Shows a bar if it takes long. A session that cannot be read has a `problem` and does not stop the rest. */
export async function figuresAsked(
  context: CommandContext,
  refs: readonly SessionRef[],
  { isRaw, keepsAll = false, between }: FiguresAsked,
): Promise<SessionFigures[]> {
  const { signal, stdin } = context;
  const isLeftOut = ({ archived }: SessionRef): boolean => isRaw && archived !== null;
  const known: Map<SessionRef, Figures> = isRaw
    ? new Map()
    : await keptFigures(refs, context, {
        signal,
        keepsAll,
        withProgress: (work) => withSessionsBar(context, work),
        onUnused: (message) => context.note(`The figures in the store were not used: ${message}`),
        withStore: async (place, readOnly, work) => {
          const { withStore } = await import("../store/open-store.ts");
          await withStore(place, { readOnly }, work);
        },
      });
  const progress = context.progress(refs.length - known.size);
  try {
    const piped = refs.find(({ source }) => source === "stdin");
    if (piped) {
      const { figuresOf } = await import("../sessions/read-figures.ts");
      known.set(piped, await figuresOf(piped, { stdin, signal, ...given({ between }) }));
    }
    const [kept, files] = [refs.filter(isLeftOut), refs.filter((ref) => !isLeftOut(ref))];
    const read = await readFigures(files, { known, onRead: () => progress.advance(), signal });
    return [...read, ...kept.map((ref) => ({ ref, figures: null, problem: `it ${ONLY_REDACTED}` }))];
  } finally {
    progress.end();
  }
}
