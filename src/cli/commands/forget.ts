/** `transcripts forget` */
import { counted } from "../../quantities.ts";
import { isOwnSession, suffixedId, tombstonesOf } from "../../indexing/session-keys.ts";
import { reasonOf } from "../../sessions/reasons.ts";
import { sessionMeant } from "../../sessions/resolve-session.ts";
import { isStream, type SessionRef, type SessionRoot, type Unreadable } from "../../sessions/session-ref.ts";
import { sessionRoots } from "../../sessions/session-roots.ts";
import { knownSessionId } from "../../snippets/session-lookup.ts";
import { openStore, storePlace } from "../../store/open-store.ts";
import { localPlace } from "../../store/store-place.ts";
import { storedRef } from "../../queries/stored-session.ts";
import type { Store, Tombstone } from "../../store/store.ts";
import {
  createCommand,
  jsonObject,
  runnable,
  SESSION,
  type OptionsOf,
  type Versioned,
  type ExitCode,
} from "../command.ts";
import { badArguments, type CommandContext, confirmed } from "../context.ts";
import { type FilePlan, filesOf, objectionTo, type Place } from "../forget-plan.ts";
import { neutralLine } from "../../neutral-text.ts";
import { sessionNamed } from "../session-input.ts";
import { forCommandLine } from "../snippet-errors.ts";
import { isFieldError, isSessionError } from "../../transcripts-error.ts";
import { rm } from "node:fs/promises";
import type { StoredSession } from "../../store/stored-model.ts";

const definition = createCommand("forget", {
  summary: "Removes a session from the index and its files from the disk, after asking.",
  description:
    "First lists what will be removed: entries and snippets in the index, the file in each format, subagents, the folder with outputs, and " +
    "saved conversations. --keep-files keeps all files. A session in opencode's own store stays there; `opencode session delete` removes it. " +
    "If there is an index, it never takes the session again, wherever its files come from, until `transcripts index SESSION`.",
  examples: {
    "transcripts forget latest --dry-run": "Lists what would be removed.",
    "transcripts forget 0a1b2c3d --yes": "Removes it without asking, for scripts.",
  },
  nothing: "there is nothing to remove, or the answer was no",
})
  .argument("<SESSION>", SESSION)
  .option("--dry-run", "Lists what would be removed, and removes nothing.")
  .option("--keep-files", "Removes it only from the index, with the snippets.")
  .option("--yes", "Removes without asking.")
  .addOption(jsonObject("what was removed, and what could not be"));
type Options = OptionsOf<typeof definition>;

export interface ForgetOutput extends Versioned {
  session_id: string;
  /** Sessions in the index: this one and its subagents. */
  in_index: string[];
  events: number;
  snippets: number;
  /** Files and folders to remove. */
  files: Place[];
  /** Related items that are kept. */
  kept: Unreadable[];
  failed: Unreadable[];
  /** False if nothing was removed. */
  removed: boolean;
}

interface Plan extends FilePlan {
  id: string;
  /** In the index, and beside a team's in the file with the figures of this machine. */
  stored: readonly Stored[];
}

/** Rows of one store to remove. */
interface Stored {
  store: Store;
  sessions: StoredSession[];
  /** One for each forgotten session, in the store or on disk. */
  tombstones: Tombstone[];
  events: number;
  snippets: number;
}

export const command = runnable(definition, async (context, [argument], options) => {
  if (argument === "-")
    throw badArguments("SESSION: standard input cannot be removed.", "Give an id, a path or latest.");
  const stores = await openStores(context);
  try {
    const plan = await planOf(context, stores, argument, options.keepFiles ?? false);
    return await carryOut(context, plan, options);
  } finally {
    for (const store of stores) await store.close();
  }
});

/** Opens the index, and beside a team's the file with the figures of this machine. Creates none. */
async function openStores(context: CommandContext): Promise<Store[]> {
  const { backend } = storePlace(context);
  const places = backend === "postgres" ? [context, localPlace(context)] : [context];
  const stores: Store[] = [];
  for (const place of places) if (storePlace(place).exists) stores.push(await openStore(place));
  return stores;
}

async function carryOut(context: CommandContext, plan: Plan, options: Options): Promise<ExitCode> {
  const { dryRun: isDry = false, json: isJson = false } = options;
  const { sessions, events, snippets } = indexed(plan);
  const end = async (exitCode: ExitCode, note: string, failed?: ForgetOutput["failed"]): Promise<ExitCode> => {
    context.note(note);
    const in_index = sessions.map(({ session_id }) => session_id);
    const { id: session_id, places: files, kept } = plan;
    const found = { version: 1 as const, session_id, in_index, events, snippets, files, kept };
    if (isJson) await context.printObject({ ...found, failed: failed ?? [], removed: failed !== undefined });
    return exitCode;
  };
  if (!isJson) await show(context, plan);
  if (options.keepFiles && plan.kept.length > 0)
    context.note("its files stay; the index leaves the session out until `transcripts index SESSION`");
  if (plan.places.length === 0 && sessions.length === 0) {
    if (!isDry) await removeStored(plan);
    return end(1, "there is nothing to remove");
  }
  const what = summary(plan);
  if (isDry || !(options.yes || (await confirmed(context, `${what} will be removed.`))))
    return end(isDry ? 0 : 1, "nothing was removed");
  const failed = [...(await removePlaces(plan.places, await sessionRoots(context))), ...(await removeStored(plan))];
  for (const { path, reason } of failed) context.note(`not removed: ${path}: ${reason}`);
  if (failed.length === 0) return end(0, `removed ${what}`, failed);
  const total = plan.places.length + sessions.length;
  const removed = total - failed.length;
  return end(2, removed <= 0 ? "nothing was removed" : `removed ${removed} of ${total}: ${what}`, failed);
}

/** Finds the session's files and rows. A session without files is only in the index. */
async function planOf(
  context: CommandContext,
  stores: readonly Store[],
  text: string,
  keepFiles: boolean,
): Promise<Plan> {
  const ref = await refOf(context, stores[0], text);
  const isOnlyStored = typeof ref === "string";
  if (!isOnlyStored && isStream(ref))
    throw badArguments(`${ref.path} is a pipe or a device, not a session.`, "Give an id or the path of a file.");
  const files: FilePlan = isOnlyStored ? { places: [], kept: [], refs: [] } : await filesOf(ref, context);
  const stored: Stored[] = [];
  for (const store of stores) stored.push(await storedIn(store, files.refs, isOnlyStored ? ref : undefined));
  const plan = { ...files, id: isOnlyStored ? ref : ref.id, stored };
  if (!keepFiles) return plan;
  const kept = files.places.map(({ path }) => ({ path, reason: "--keep-files" }));
  return { ...plan, places: [], kept: [...files.kept, ...kept] };
}

type Figures = Pick<Stored, "sessions" | "events" | "snippets">;
const NOTHING: Figures = { sessions: [], events: 0, snippets: 0 };

async function refOf(context: CommandContext, store: Store | undefined, text: string): Promise<SessionRef | string> {
  const { env, home, cwd } = context;
  try {
    // Without the sessions of the store, which has its own names for them.
    const ref = await sessionMeant(text, { env, home, cwd });
    // Unreadable files can be removed if they are in a session folder.
    return ref.source === "file" ? await sessionNamed(context, text) : ref;
  } catch (error) {
    if (!isSessionError(error) || error.code !== "not_found" || store === undefined) throw error;
    try {
      return await knownSessionId({ store, where: context }, text);
    } catch (inner) {
      throw isFieldError(inner) ? (inner.code === "unknown_session" ? error : forCommandLine(inner)) : inner;
    }
  }
}

/** Returns the content of the index; empty without one. */
function indexed({ stored }: Plan): Figures {
  return stored[0] ?? NOTHING;
}

function summary(plan: Plan): string {
  const { places } = plan;
  const { sessions, events, snippets } = indexed(plan);
  const files = places.length === 1 ? "1 file or folder" : `${places.length} files and folders`;
  const rows = `${counted(sessions.length, "session")} in the index with ${counted(events, "event")} and ${counted(snippets, "snippet")}`;
  return [places.length === 0 ? [] : files, sessions.length === 0 ? [] : rows].flat().join(", ");
}

async function show(context: CommandContext, plan: Plan): Promise<void> {
  const { colors } = context;
  const { id, places, kept } = plan;
  const index = indexed(plan);
  const line = (kind: string, what: string): string => `  ${kind.padEnd(8)}  ${neutralLine(what)}`;
  const lines = [
    colors.bold(`Session ${neutralLine(id)}`),
    ...index.sessions.map(({ session_id, state }) => line("index", `${session_id}, ${counted(state.events, "event")}`)),
    ...(index.snippets === 0 ? [] : [line("index", counted(index.snippets, "snippet"))]),
    ...places.map(({ kind, path, bytes }) => line(kind, `${path} (${counted(bytes, "byte")})`)),
    ...kept.map(({ path, reason }) => colors.dim(line("stays", `${path}: ${reason}`))),
  ];
  await context.out(`${lines.join("\n")}\n`);
  // Must be visible before the question.
  await context.flush();
}

async function removeStored({ stored }: Plan): Promise<ForgetOutput["failed"]> {
  const failed: ForgetOutput["failed"] = [];
  for (const { store, sessions, tombstones } of stored) {
    const ids = sessions.map(({ session_id: id }) => id);
    try {
      await store.forgetSessions(ids, tombstones);
    } catch (error) {
      if (ids.length === 0) throw error;
      failed.push(...ids.map((id) => ({ path: `${id} in the index`, reason: reasonOf(error) })));
    }
  }
  return failed;
}

/** Removes files and folders. Resolves to those that could not be removed, with the reason. */
export async function removePlaces(
  places: readonly Place[],
  roots: readonly SessionRoot[],
  remove: (path: string) => Promise<void> = (path) => rm(path, { recursive: true }),
): Promise<{ path: string; reason: string }[]> {
  const failed: { path: string; reason: string }[] = [];
  for (const { path } of places) {
    try {
      // The file may have changed since it was checked.
      const objection = await objectionTo(path, roots);
      if (objection === undefined) await remove(path);
      else failed.push({ path, reason: objection });
    } catch (error) {
      failed.push({ path, reason: reasonOf(error) });
    }
  }
  return failed;
}

/** Returns what a store has of these sessions, or of the one with an id, and of their subagents. */
async function storedIn(store: Store, refs: readonly SessionRef[], onlyId?: string): Promise<Stored> {
  const all = await store.sessions();
  const isOne = (session: StoredSession): boolean => {
    const { session_id: id, path } = session;
    if (id === onlyId) return true;
    return (
      isOwnSession(session, store) &&
      refs.some((ref) => (ref.path ?? ref.database) === path && (id === ref.id || id.startsWith(`${ref.id}@`)))
    );
  };
  const chosen = new Set(all.filter(isOne));
  for (let before = -1; before !== chosen.size;) {
    before = chosen.size;
    for (const session of all) if (isBelow(session, chosen)) chosen.add(session);
  }
  let events = 0;
  let snippets = 0;
  for (const { session_id, state } of chosen) {
    events += state.events;
    const counts = await store.countSnippets(session_id);
    snippets += Object.values(counts).reduce((sum, count) => sum + count, 0);
  }
  const sessions = [...chosen];
  const others = new Set(all.filter((session) => !chosen.has(session)).map(({ session_id: id }) => id));
  return { store, sessions, tombstones: tombstonesIn(store, sessions, refs, others), events, snippets };
}

/** Returns tombstones of the sessions of a store, and of those on disk that it does not have. `others`: ids in use. */
function tombstonesIn(
  { machine }: Store,
  sessions: readonly StoredSession[],
  refs: readonly SessionRef[],
  others: ReadonlySet<string>,
): Tombstone[] {
  const stored = sessions.flatMap((row) => tombstonesOf(storedRef(row), row.session_id, machine));
  const places = new Set(stored.map(({ place }) => place));
  const onDisk = refs.flatMap((ref) =>
    tombstonesOf(ref, others.has(ref.id) ? suffixedId(ref, machine) : ref.id, machine),
  );
  return [...stored, ...onDisk.filter(({ place }) => !places.has(place))];
}

function isBelow({ parent_id: parent, machine_id, host }: StoredSession, chosen: ReadonlySet<StoredSession>): boolean {
  const isOnSame = (other: StoredSession): boolean =>
    machine_id === null || other.machine_id === null ? other.host === host : other.machine_id === machine_id;
  return parent !== null && [...chosen].some((session) => session.session_id === parent && isOnSame(session));
}
