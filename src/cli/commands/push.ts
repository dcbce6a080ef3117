/** `transcripts push` */
import { count, counted } from "../../quantities.ts";
import type { PushReport } from "../../indexing/push-sessions.ts";
import { updateIndex } from "../../indexing/update-index.ts";
import { storePlace, withStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { createCommand, jsonObject, runnable, type Versioned } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { noteUnread } from "../session-input.ts";
import { withSessionsBar } from "../terminal/progress.ts";

const definition = createCommand("push", {
  description:
    "Adds what is new to the store, as `transcripts index` does, then copies what changed since the last push, with snippets and tags. Secrets are redacted. " +
    "The database is the PostgreSQL at TRANSCRIPTS_DATABASE_URL; the first push creates its tables. After an interruption, the next push continues. " +
    "Sessions that `transcripts forget --team` removed are not copied again.",
  examples: {
    "transcripts push": "Copies what is new.",
    "transcripts find --team rounding": "Searches the sessions of the whole team.",
  },
}).addOption(jsonObject("what was done"));

export interface PushOutput extends Versioned, PushReport {
  /** Address of the team's database, without its password. */
  team: string;
}

export const command = runnable(definition, async (context, _args, options) => {
  const { place: team } = storePlace({ ...context, team: true });
  const report = await withStore(context, {}, async (store) => {
    const { unreadable } = await withSessionsBar(context, (onProgress) =>
      updateIndex(store, context, { signal: context.signal, onProgress }),
    );
    noteUnread(context, unreadable);
    return pushed(context, store);
  });
  if (options.json) await context.printObject({ version: 1, team, ...report } satisfies PushOutput);
  return report.busy === 0 ? 0 : 2;
});

/** Pushes what the store has, and says what was done. */
export async function pushed(context: CommandContext, store: Store): Promise<PushReport> {
  const place = { ...context, team: true };
  const { push } = await import("../../indexing/push-sessions.ts");
  const report = await withStore(place, {}, (team) =>
    withSessionsBar(context, (onProgress) => push(store, team, { signal: context.signal, onProgress })),
  );
  const { pushed: sessions, unchanged, forgotten, busy, rows, snippets } = report;
  const parts = [
    `pushed ${counted(sessions, "session")} (${count(rows)} entries) to ${storePlace(place).place}`,
    `${unchanged} unchanged`,
    ...(snippets === 0 ? [] : [counted(snippets, "snippet")]),
    ...(forgotten === 0 ? [] : [`${forgotten} left out, which were forgotten there`]),
    ...(busy === 0 ? [] : [`${busy} left out, which another push is writing`]),
  ];
  context.note(parts.join("; "));
  return report;
}
