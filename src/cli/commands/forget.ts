/** `transcripts forget` */
import { count, counted } from "../../quantities.ts";
import { agentsId, suffixedId, tombstonesOf } from "../../indexing/session-keys.ts";
import { agentAt } from "../../agents/registry.ts";
import { openReadable } from "../../sessions/open-session.ts";
import { resolveSession } from "../../sessions/resolve-session.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import { shellWord } from "../../calls/shell-syntax.ts";
import { openStore, storePlace } from "../../store/open-store.ts";
import { storedRef } from "../../queries/stored-session.ts";
import type { Store, Tombstone } from "../../store/store.ts";
import { createCommand, jsonObject, runnable, STORED_SESSION, type Versioned } from "../command.ts";
import { badArguments, type CommandContext, confirmed } from "../context.ts";
import { neutralLine } from "../../neutral-text.ts";
import { familyRefs, refuseStdin } from "../session-input.ts";
import { isSessionError } from "../../transcripts-error.ts";
import { existsSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { StoredSession } from "../../store/stored-model.ts";

const definition = createCommand("forget", {
  description:
    "Shows how much will be removed, subagents included, and asks. No command, tool or hook adds the session again, even if its files stay or reappear. " +
    "The files themselves stay: the printed command deletes them, with subagents and outputs. " +
    "With --team the session is also removed from the team's database, whichever machine pushed it, and no push brings it back.",
  examples: {
    "transcripts forget latest": "Shows how much will be removed, and asks.",
    "transcripts forget 0a1b2c3d --yes": "Removes a session without asking, for scripts.",
  },
  nothing: "the store does not have the session, or the answer was no",
})
  .argument("<SESSION>", STORED_SESSION)
  .option("--yes", "Removes without asking.")
  .option("--team", "Also removes it from the team's database (TRANSCRIPTS_DATABASE_URL).")
  .addOption(jsonObject("what was removed, and the command that deletes the files"));

export interface ForgetOutput extends Versioned {
  session_id: string;
  /** Sessions removed from the store: this one and its subagents. */
  in_index: string[];
  /** The same in the team's database, if it was asked for. */
  in_team: string[];
  events: number;
  snippets: number;
  /** Commands that delete the files. */
  delete_files: string[];
}

/** A session to remove. */
interface Meant {
  id: string;
  /** It and its subagents on this machine; empty if only a store has it. */
  family: SessionRef[];
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
  refuseStdin(argument);
  const stores: Store[] = [];
  try {
    if (storePlace(context).exists) stores.push(await openStore(context));
    if (options.team) stores.push(await openStore({ ...context, team: true }));
    const meant = await sessionToForget(context, stores, argument);
    const stored = await storedIn(stores, meant);
    const sum = (of: (each: Stored) => number): number => stored.reduce((total, each) => total + of(each), 0);
    const [events, snippets] = [sum((each) => each.events), sum((each) => each.snippets)];
    const sessions = sum((each) => each.sessions.length);
    const where = options.team ? "here and in the team's database" : "in the store";
    const what = `${counted(sessions, "session")} ${where} with ${count(events)} ${events === 1 ? "entry" : "entries"} and ${counted(snippets, "snippet")}`;
    const problem = `Session ${meant.id}: ${what} will be removed.`;
    if (sessions > 0 && !options.yes && !(await confirmed(context, problem))) {
      context.note("nothing was removed");
      return 1;
    }
    // A session that the store does not have yet is not taken later either.
    // The team's first: if it cannot be reached, the next try still finds the session here.
    for (const { store, sessions: rows, tombstones } of stored.toReversed())
      await store.forgetSessions(
        rows.map(({ session_id: id }) => id),
        tombstones,
      );
    context.note(sessions > 0 ? `removed ${what}` : "the store does not have this session");
    await printDone(context, { meant, stored, events, snippets, isJson: options.json ?? false });
    return sessions > 0 ? 0 : 1;
  } finally {
    for (const store of stores) await store.close();
  }
});

interface Done {
  meant: Meant;
  stored: readonly Stored[];
  events: number;
  snippets: number;
  isJson: boolean;
}

async function printDone(context: CommandContext, { meant, stored, isJson, ...counts }: Done): Promise<void> {
  const deleteFiles = deletionOf(meant.family.flatMap((each) => [each, ...each.alternatives]));
  if (isJson) {
    const idsIn = (backend: Store["backend"]): string[] =>
      stored
        .filter(({ store }) => store.backend === backend)
        .flatMap(({ sessions }) => sessions.map(({ session_id: id }) => id));
    const [in_index, in_team] = [idsIn("sqlite"), idsIn("postgres")];
    const ids = { version: 1 as const, session_id: meant.id, in_index, in_team };
    await context.printObject({ ...ids, ...counts, delete_files: deleteFiles } satisfies ForgetOutput);
  } else if (deleteFiles.length > 0) {
    const lines = deleteFiles.map((line) => `  ${neutralLine(line)}\n`).join("");
    await context.out(`Its files stay. To delete them:\n${lines}`);
  }
}

async function sessionToForget(context: CommandContext, stores: readonly Store[], text: string): Promise<Meant> {
  const { env, home, cwd } = context;
  try {
    // Without the sessions of the store, which has its own names for them.
    const named = await resolveSession(text, { env, home, cwd });
    // Damaged files can be removed if they are in a session folder. Elsewhere a file may be no session at all.
    if (named.place === "file") await (await openReadable(named).open({})).units.return(undefined);
    return { id: named.id, family: await familyRefs(context, named) };
  } catch (error) {
    if (!isSessionError(error) || error.code !== "not_found") throw error;
    for (const store of stores) {
      const [only, ...others] = await storedIds(store, text, resolve(cwd, text));
      if (others.length > 0)
        throw badArguments(`${text} may be ${others.length + 1} sessions.`, "Give more of the id.");
      if (only !== undefined) return { id: only, family: [] };
    }
    throw error;
  }
}

/** Returns commands that delete the files of sessions, and the folders beside them with outputs and subagents. */
function deletionOf(refs: readonly SessionRef[]): string[] {
  const all = refs.flatMap((ref) =>
    ref.path === null ? [] : [ref.path, ...(agentAt(ref)?.belongings?.(ref.path, ref) ?? [])],
  );
  const paths = [...new Set(all)].filter((path) => existsSync(path));
  const outer = paths.filter((path) => !paths.some((other) => path.startsWith(other + sep)));
  const inDatabase = refs.filter(({ database, parentId }) => database !== null && parentId === null);
  return [
    ...(outer.length === 0 ? [] : [`rm -r ${outer.map(shellWord).join(" ")}`]),
    ...inDatabase.flatMap((ref) => agentAt(ref)?.deletion?.(ref) ?? []),
  ];
}

/** Returns the ids of sessions in a store that are meant by an id, its beginning, or the path that they had. */
async function storedIds(store: Store, text: string, path: string): Promise<string[]> {
  const all = await store.sessions();
  if (all.some(({ session_id: id }) => id === text)) return [text];
  const found = all.filter((session) => session.session_id.startsWith(text) || session.path === path);
  // In the team's database each machine that pushed a session has a row of its own.
  const isTeam = store.backend === "postgres";
  return [...new Set(found.map(({ session_id: id }) => (isTeam ? agentsId(id) : id)))];
}

/** Returns what the stores have: the one of this machine, and the team's, whichever machine pushed it there. */
async function storedIn(stores: readonly Store[], { id, family }: Meant): Promise<Stored[]> {
  const refs = family.flatMap((each) => [each, ...each.alternatives]);
  const found: Stored[] = [];
  for (const store of stores) {
    if (store.backend === "sqlite") found.push(await storedHere(store, refs, id));
    else {
      const here = found.flatMap(({ sessions }) => sessions.map(({ session_id: each }) => each));
      const ids = [...here, ...refs.map((ref) => ref.id), id];
      found.push(await storedInTeam(store, new Set(ids.map(agentsId))));
    }
  }
  return found;
}

/** Returns what the store has of these sessions and of their subagents; without any, of those with the id. */
async function storedHere(store: Store, refs: readonly SessionRef[], onlyId: string): Promise<Stored> {
  const all = await store.sessions();
  const isOne = ({ session_id: id, path }: StoredSession): boolean =>
    refs.length === 0
      ? id === onlyId
      : refs.some((ref) => (ref.path ?? ref.database) === path && (id === ref.id || id.startsWith(`${ref.id}@`)));
  const sessions = withBelow(all, isOne);
  const chosen = new Set(sessions);
  const others = new Set(all.filter((session) => !chosen.has(session)).map(({ session_id: id }) => id));
  return { store, sessions, tombstones: tombstonesIn(sessions, refs, others), ...(await countsIn(store, sessions)) };
}

/** Returns what a team's database has of sessions, and of their subagents, whichever machine pushed them. */
async function storedInTeam(store: Store, ids: ReadonlySet<string>): Promise<Stored> {
  const sessions = withBelow(await store.sessions(), ({ session_id: id }) => ids.has(agentsId(id)));
  const forgotten = new Set([...ids, ...sessions.map(({ session_id: id }) => agentsId(id))]);
  const tombstones = [...forgotten].map((session_id) => ({ session_id, place: "" }));
  return { store, sessions, tombstones, ...(await countsIn(store, sessions)) };
}

async function countsIn(
  store: Store,
  sessions: readonly StoredSession[],
): Promise<Pick<Stored, "events" | "snippets">> {
  let events = 0;
  let snippets = 0;
  for (const { session_id, state } of sessions) {
    events += state.events;
    const counts = await store.countSnippets(session_id);
    snippets += Object.values(counts).reduce((sum, count) => sum + count, 0);
  }
  return { events, snippets };
}

/** Returns the sessions that are meant, and those that they started. */
function withBelow(all: readonly StoredSession[], isMeant: (session: StoredSession) => boolean): StoredSession[] {
  const chosen = new Set(all.filter(isMeant));
  const parents = new Set([...chosen].map(({ session_id: id }) => id));
  for (let before = -1; before !== chosen.size;) {
    before = chosen.size;
    for (const session of all) {
      if (session.parent_id === null || !parents.has(session.parent_id)) continue;
      chosen.add(session);
      parents.add(session.session_id);
    }
  }
  return [...chosen];
}

/** Returns tombstones of the sessions of a store, and of those on disk that it does not have. `others`: ids in use. */
function tombstonesIn(
  sessions: readonly StoredSession[],
  refs: readonly SessionRef[],
  others: ReadonlySet<string>,
): Tombstone[] {
  const stored = sessions.flatMap((row) => tombstonesOf(storedRef(row), row.session_id));
  const places = new Set(stored.map(({ place }) => place));
  const onDisk = refs.flatMap((ref) => tombstonesOf(ref, others.has(ref.id) ? suffixedId(ref) : ref.id));
  return [...stored, ...onDisk.filter(({ place }) => !places.has(place))];
}
