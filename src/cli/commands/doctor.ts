/** `transcripts doctor` */
import { type ForeignPlace, foreignPlaces } from "../../agents/foreign.ts";
import { readTranscript } from "../../agents/parse-input.ts";
import { findSessions, type FoundSessions } from "../../sessions/find-sessions.ts";
import { openReadable } from "../../sessions/open-session.ts";
import { reasonOf, isReadFault } from "../../places/reasons.ts";
import { factsAt, nodeSessionFiles } from "../../places/session-files.ts";
import { type SessionRef, type Unreadable } from "../../places/session-ref.ts";
import { VERSION } from "../../version.ts";
import { createCommand, jsonObject, runnable } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { type Damage, type DoctorOutput, doctorText, type IndexHealth, type Place } from "../doctor-text.ts";
import { hostConfigs } from "../init/host-configs.ts";
import { redactedRow, redactorFor } from "../redaction.ts";
import { type Expiring, expiringSessions } from "../../queries/expiring-sessions.ts";
import { withStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { storePlace } from "../../store/store-place.ts";
import { isStoreError } from "../../transcripts-error.ts";

const definition = createCommand("doctor", {
  description:
    "Checks the 50 newest sessions for damage; --all checks every session. Lists the sessions that their agent will delete within a week and that the store does not have.",
  examples: {
    "transcripts doctor": "Checks whether everything is in order.",
    "transcripts doctor --all --json | jq .damage": "Prints the damage in all sessions, as JSON.",
  },
})
  .option("--all", "Checks every session.")
  .addOption(jsonObject("the findings"));

/** Number of sessions checked without --all. */
const SAMPLE = 50;

export const command = runnable(definition, async (context, _args, options) => {
  const found = await findSessions(context);
  const sample = options.all ? found.sessions : found.sessions.slice(0, SAMPLE);
  const content = await lookInto(context, sample);
  const unreadable = [...found.unreadable, ...content.unreadable];
  const configs = await hostConfigs(context);
  const { index, expiring } = await indexHealth(context, found);
  const result = await redactedRow<DoctorOutput>(redactorFor(), {
    version: 1,
    ok: unreadable.length === 0 && index.problem === null && configs.every(({ problems }) => problems.length === 0),
    program: { version: VERSION, runtime: runtime() },
    places: placesOf(found),
    index,
    unreadable: unreadable.map(({ path, reason }) => ({ path, reason })),
    unsupported: await existing(foreignPlaces(context)),
    configs,
    expiring,
    checked: sample.length - content.unreadable.length,
    of: found.sessions.length,
    lines: content.lines,
    damage: [...content.damage.values()],
  });
  if (options.json) await context.printObject(result);
  else await context.out(doctorText(context, result));
  return result.ok ? 0 : 2;
});

function runtime(): string {
  const { bun, node } = process.versions;
  return bun === undefined ? `Node ${node}` : `Bun ${bun}`;
}

async function existing(places: readonly ForeignPlace[]): Promise<ForeignPlace[]> {
  const kinds = places.map(({ path }) => factsAt(path, nodeSessionFiles)?.kind);
  return places.filter((_, at) => kinds[at] !== undefined);
}

/** Returns the places that are searched. */
function placesOf({ roots, unreadable }: FoundSessions): Place[] {
  return roots.map(({ agent, path, sessions }) => {
    const problem = unreadable.find((fault) => fault.path === path)?.reason ?? null;
    return { agent, path, sessions, problem };
  });
}

/** Counts and damage found in the checked sessions. */
class Content {
  readonly unreadable: Unreadable[] = [];
  lines = 0;
  readonly damage = new Map<string, Damage>();
}

async function lookInto(context: CommandContext, refs: readonly SessionRef[]): Promise<Content> {
  const content = new Content();
  const progress = context.progress(refs.length);
  for (const ref of refs) {
    context.signal.throwIfAborted();
    try {
      await lookAt(context, ref, content);
    } catch (error) {
      if (!isReadFault(error)) throw error;
      content.unreadable.push({ path: ref.path ?? ref.id, reason: reasonOf(error) });
    }
    progress.advance();
  }
  progress.end();
  return content;
}

async function lookAt(context: CommandContext, ref: SessionRef, content: Content): Promise<void> {
  const path = ref.path ?? ref.id;
  const reader = readTranscript(ref.id, openReadable(ref), {
    signal: context.signal,
    pricing: "flat",
    onLineError: (line, _reason, { code, recovered }) => {
      // Not damage, but a part of the conversation that a newer version of the agent has.
      if (code === "unknown_type") return;
      const key = `${path}\0${code}\0${recovered}`;
      const { count } = content.damage.get(key) ?? { count: 0 };
      const first_line = content.damage.get(key)?.first_line ?? line;
      content.damage.set(key, { path, code, count: count + 1, recovered, first_line });
    },
  });
  for await (const _ of reader);
  content.lines += reader.summary().lines.total;
}

/** Opens the store without changing it, and finds the sessions that it lacks. */
async function indexHealth(
  context: CommandContext,
  { sessions }: FoundSessions,
): Promise<{ index: IndexHealth; expiring: Expiring[] }> {
  const place = storePlace(context);
  const unknown = { ...place, sessions: null, problem: null };
  const lacking = (store: Store | undefined): Promise<Expiring[]> =>
    expiringSessions(context, { store, sessions, now: context.now() });
  if (!place.exists) return { index: unknown, expiring: await lacking(undefined) };
  try {
    return await withStore(context, { readOnly: true }, async (store) => {
      const { sessions: count } = await store.contentOf({});
      return { index: { ...unknown, sessions: count }, expiring: await lacking(store) };
    });
  } catch (error) {
    if (!isStoreError(error)) throw error;
    return { index: { ...unknown, problem: error.message }, expiring: await lacking(undefined) };
  }
}
