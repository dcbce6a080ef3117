/** `transcripts forget` */
import { counted } from "../../quantities.ts";
import { isOwnSession, suffixedId, tombstonesOf } from "../../indexing/session-keys.ts";
import { reasonOf } from "../../sessions/reasons.ts";
import { sessionMeant } from "../../sessions/resolve-session.ts";
import { isStream, type SessionRef, type SessionRoot } from "../../sessions/session-ref.ts";
import { sessionRoots } from "../../sessions/session-roots.ts";
import { knownSessionId } from "../../snippets/session-lookup.ts";
import { openStore, storePlace } from "../../store/open-store.ts";
import { localPlace } from "../../store/store-place.ts";
import { storedRef } from "../../queries/stored-session.ts";
import type { Store, Tombstone } from "../../store/store.ts";
import { badArguments, type CommandContext, type RunCommand } from "../command.ts";
import { type FilePlan, filesOf, objectionTo, type Place } from "../forget-plan.ts";
import type { Output } from "../output-schemas.ts";
import { neutralLine } from "../../neutral-text.ts";
import { sessionNamed } from "../session-input.ts";
import { forCommandLine } from "../snippet-errors.ts";
import { isFieldError, isSessionError } from "../../transcripts-error.ts";
import { rm } from "node:fs/promises";
import type { StoredSession } from "../../store/stored-model.ts";

interface Plan extends FilePlan {
  id: string;
  indexed: Indexed;
  /** One for each session, in the index or on disk, that is forgotten. */
  tombstones: Tombstone[];
}

const LEFT_OUT = "its files stay; the index leaves the session out until `transcripts index SESSION`";

export const run: RunCommand = async (context, args, options) => {
  if (args[0] === "-")
    throw badArguments("SESSION: standard input cannot be removed.", "Give an id, a path or latest.");
  // Does not create an index.
  const store = storePlace(context).exists ? await openStore(context) : undefined;
  // The figures of this machine, if the store is a team's.
  const local = localPlace(context);
  const hasFigures = store?.backend === "postgres" && storePlace(local).exists;
  const figures = hasFigures ? await openStore(local) : undefined;
  try {
    const keepFiles = options.flag("keepFiles");
    const plan = await planOf(context, store, args[0] ?? "", keepFiles);
    const isDry = options.flag("dryRun");
    const isJson = options.flag("json");
    const report = (failed: Output<"forget">["failed"], removed: boolean): Promise<void> =>
      isJson ? context.printObject(forgotten(plan, failed, removed)) : Promise.resolve();
    if (!isJson) await show(context, plan);
    if (keepFiles && plan.kept.length > 0) context.note(LEFT_OUT);
    if (plan.places.length === 0 && plan.indexed.sessions.length === 0) {
      if (!isDry) {
        await store?.forgetSessions([], plan.tombstones);
        await removeFigures(figures, plan);
      }
      context.note("there is nothing to remove");
      await report([], false);
      return 1;
    }
    if (isDry || !(options.flag("yes") || (await context.confirmed(`${summary(plan)} will be removed.`)))) {
      context.note("nothing was removed");
      await report([], false);
      return isDry ? 0 : 1;
    }
    const failed = [
      ...(await removePlaces(plan.places, await sessionRoots(context))),
      ...(await removeIndexed(store, plan)),
    ];
    await removeFigures(figures, plan);
    for (const { path, reason } of failed) context.note(`not removed: ${path}: ${reason}`);
    const total = plan.places.length + plan.indexed.sessions.length;
    const done = failed.length === 0 ? "removed" : `removed ${total - failed.length} of ${total}:`;
    context.note(failed.length === total && total > 0 ? "nothing was removed" : `${done} ${summary(plan)}`);
    await report(failed, true);
    return failed.length === 0 ? 0 : 2;
  } finally {
    await store?.close();
    await figures?.close();
  }
};

/** Finds the session's files and index entries. A session without files is only in the index. */
async function planOf(
  context: CommandContext,
  store: Store | undefined,
  text: string,
  keepFiles: boolean,
): Promise<Plan> {
  const ref = await refOf(context, store, text);
  if (typeof ref === "string") {
    const indexed = store === undefined ? NOTHING : await indexedOf(store, [], ref);
    return { id: ref, indexed, tombstones: tombstonesFor(store, indexed, []), places: [], kept: [], refs: [] };
  }
  if (isStream(ref))
    throw badArguments(`${ref.path} is a pipe or a device, not a session.`, "Give an id or the path of a file.");
  const files = await filesOf(ref, context);
  const indexed = store === undefined ? NOTHING : await indexedOf(store, files.refs);
  const kept = keepFiles ? files.places.map(({ path }) => ({ path, reason: "--keep-files" })) : [];
  const tombstones = tombstonesFor(store, indexed, files.refs);
  const places = keepFiles ? [] : files.places;
  return { ...files, id: ref.id, indexed, tombstones, places, kept: [...files.kept, ...kept] };
}

/** Returns tombstones of the sessions in the index, and of those on disk that it does not have. */
function tombstonesFor(
  store: Store | undefined,
  { sessions, others: taken }: Indexed,
  refs: readonly SessionRef[],
): Tombstone[] {
  if (store === undefined) return [];
  const { machine } = store;
  const stored = sessions.flatMap((row) => tombstonesOf(storedRef(row), row.session_id, machine));
  const places = new Set(stored.map(({ place }) => place));
  const idOf = (ref: SessionRef): string => (taken.has(ref.id) ? suffixedId(ref, machine) : ref.id);
  const others = refs.flatMap((ref) => tombstonesOf(ref, idOf(ref), machine));
  return [...stored, ...others.filter(({ place }) => !places.has(place))];
}

const NOTHING: Indexed = { sessions: [], others: new Set(), events: 0, snippets: 0 };

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

function summary({ places, indexed }: Plan): string {
  const files =
    places.length === 0 ? [] : [places.length === 1 ? "1 file or folder" : `${places.length} files and folders`];
  const rows =
    indexed.sessions.length === 0
      ? []
      : [
          `${counted(indexed.sessions.length, "session")} in the index with ${counted(indexed.events, "event")} and ${counted(indexed.snippets, "snippet")}`,
        ];
  return [...files, ...rows].join(", ");
}

async function show(context: CommandContext, plan: Plan): Promise<void> {
  const { colors } = context;
  const lines = [
    colors.bold(`Session ${neutralLine(plan.id)}`),
    ...plan.indexed.sessions.map(
      ({ session_id, state }) => `  index     ${neutralLine(session_id)}, ${counted(state.events, "event")}`,
    ),
    ...(plan.indexed.snippets === 0 ? [] : [`  index     ${counted(plan.indexed.snippets, "snippet")}`]),
    ...plan.places.map(
      ({ kind, path, bytes }) => `  ${kind.padEnd(8)}  ${neutralLine(path)} (${counted(bytes, "byte")})`,
    ),
    ...plan.kept.map(({ path, reason }) => colors.dim(`  stays     ${neutralLine(path)}: ${neutralLine(reason)}`)),
  ];
  await context.out(`${lines.join("\n")}\n`);
  // Must be visible before the question.
  await context.flush();
}

async function removeIndexed(
  store: Store | undefined,
  { indexed, tombstones }: Plan,
): Promise<Output<"forget">["failed"]> {
  try {
    const ids = indexed.sessions.map(({ session_id: id }) => id);
    await store?.forgetSessions(ids, tombstones);
    return [];
  } catch (error) {
    return indexed.sessions.map(({ session_id: id }) => ({ path: `${id} in the index`, reason: reasonOf(error) }));
  }
}

async function removeFigures(store: Store | undefined, { id, refs }: Plan): Promise<void> {
  if (store === undefined) return;
  const indexed = await indexedOf(store, refs, refs.length === 0 ? id : undefined);
  const ids = indexed.sessions.map(({ session_id: each }) => each);
  await store.forgetSessions(ids, tombstonesFor(store, indexed, refs));
}

function forgotten(
  { id, indexed, places, kept }: Plan,
  failed: Output<"forget">["failed"],
  removed: boolean,
): Output<"forget"> {
  const { sessions, events, snippets } = indexed;
  const ids = sessions.map(({ session_id }) => session_id);
  return { version: 1, session_id: id, in_index: ids, events, snippets, files: places, kept, failed, removed };
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

interface Indexed {
  sessions: StoredSession[];
  /** Ids of the other sessions in the index. */
  others: ReadonlySet<string>;
  events: number;
  snippets: number;
}

/** Returns the sessions of these files, and their subagents in the index. */
async function indexedOf(store: Store, refs: readonly SessionRef[], alsoId?: string): Promise<Indexed> {
  const all = await store.sessions();
  const isOne = (session: StoredSession): boolean => {
    const { session_id: id, path } = session;
    if (id === alsoId) return true;
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
  const others = new Set(all.filter((session) => !chosen.has(session)).map(({ session_id: id }) => id));
  return { sessions: [...chosen], others, events, snippets };
}

function isBelow({ parent_id: parent, machine_id, host }: StoredSession, chosen: ReadonlySet<StoredSession>): boolean {
  const isOnSame = (other: StoredSession): boolean =>
    machine_id === null || other.machine_id === null ? other.host === host : other.machine_id === machine_id;
  return parent !== null && [...chosen].some((session) => session.session_id === parent && isOnSame(session));
}
