/** `transcripts forget` */
import { count, counted } from "../../quantities.ts";
import { agentsId, suffixedId, tombstonesOf } from "../../indexing/session-keys.ts";
import { agentAt } from "../../agents/registry.ts";
import { sessionMeant } from "../../sessions/resolve-session.ts";
import { isStream, type SessionRef } from "../../places/session-ref.ts";
import { shellWord } from "../../calls/shell-syntax.ts";
import { knownSessionId } from "../../snippets/session-lookup.ts";
import { openStore, storePlace } from "../../store/open-store.ts";
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
import { neutralLine } from "../../neutral-text.ts";
import { familyOf, sessionNamed } from "../session-input.ts";
import { isFieldError, isSessionError } from "../../transcripts-error.ts";
import { existsSync } from "node:fs";
import { sep } from "node:path";
import type { StoredSession } from "../../store/stored-model.ts";

const definition = createCommand("forget", {
  description:
    "Shows how much will be removed, subagents included, and asks. No command, tool or hook adds the session again, even if its files stay or reappear, " +
    "until you run `transcripts index SESSION`. The files themselves stay: the printed command deletes them, with subagents and outputs. " +
    "With --team the session is also removed from the team's database, whichever machine pushed it, and no push brings it back.",
  examples: {
    "transcripts forget latest --dry-run": "Shows how much would be removed.",
    "transcripts forget 0a1b2c3d --yes": "Removes a session without asking, for scripts.",
  },
  nothing: "the store does not have the session, or the answer was no",
})
  .argument("<SESSION>", SESSION)
  .option("--dry-run", "Shows how much would be removed, and removes nothing.")
  .option("--yes", "Removes without asking.")
  .option("--team", "Also removes it from the team's database (TRANSCRIPTS_DATABASE_URL).")
  .addOption(jsonObject("what was removed, and the command that deletes the files"));
type Options = OptionsOf<typeof definition>;

export interface ForgetOutput extends Versioned {
  session_id: string;
  /** Sessions in the store: this one and its subagents. */
  in_index: string[];
  /** The same in the team's database, if it was asked for. */
  in_team: string[];
  events: number;
  snippets: number;
  /** Commands that delete the files. */
  delete_files: string[];
  /** False if nothing was removed. */
  removed: boolean;
}

interface Plan {
  id: string;
  /** In the store of this machine and in the team's database, as far as there is one. */
  stored: readonly Stored[];
  deleteFiles: string[];
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
  const stores: Stores = {};
  try {
    if (storePlace(context).exists) stores.local = await openStore(context);
    if (options.team) stores.team = await openStore({ ...context, team: true });
    return await carryOut(context, await planOf(context, stores, argument), options);
  } finally {
    await stores.local?.close();
    await stores.team?.close();
  }
});

interface Stores {
  local?: Store | undefined;
  team?: Store | undefined;
}

async function carryOut(context: CommandContext, plan: Plan, options: Options): Promise<ExitCode> {
  const { dryRun: isDry = false, json: isJson = false, yes: isSure = false } = options;
  const { sessions, events, snippets } = indexed(plan);
  const what = `${counted(sessions.length, "session")} ${options.team ? "here and in the team's database" : "in the store"} with ${entriesOf(events)} and ${counted(snippets, "snippet")}`;
  const isThere = sessions.length > 0;
  if (!isJson && isThere) {
    await context.out(sessionText(context, plan));
    // Must be visible before the question.
    await context.flush();
  }
  const isRemoved = !isDry && (!isThere || isSure || (await confirmed(context, `${what} will be removed.`)));
  // A session that the store does not have yet is not taken later either.
  // The team's first: if it cannot be reached, the next try still finds the session here.
  if (isRemoved)
    for (const { store, sessions: rows, tombstones } of plan.stored.toReversed()) await forget(store, rows, tombstones);
  context.note(
    isThere ? (isRemoved ? `removed ${what}` : "nothing was removed") : "the store does not have this session",
  );
  if (isJson) {
    const idsIn = (backend: Store["backend"]): string[] =>
      plan.stored.flatMap(({ store, sessions: rows }) =>
        store.backend === backend ? rows.map(({ session_id: id }) => id) : [],
      );
    const [in_index, in_team] = [idsIn("sqlite"), idsIn("postgres")];
    const removed = isRemoved && isThere;
    const { id: session_id, deleteFiles: delete_files } = plan;
    const output: ForgetOutput = { version: 1, session_id, in_index, in_team, events, snippets, delete_files, removed };
    await context.printObject(output);
  } else if (plan.deleteFiles.length > 0 && (isRemoved || isDry)) {
    await context.out(
      `Its files stay. To delete them:\n${plan.deleteFiles.map((line) => `  ${neutralLine(line)}\n`).join("")}`,
    );
  }
  return isThere && (isRemoved || isDry) ? 0 : 1;
}

function forget(store: Store, rows: readonly StoredSession[], tombstones: readonly Tombstone[]): Promise<void> {
  return store.forgetSessions(
    rows.map(({ session_id: id }) => id),
    tombstones,
  );
}

/** Finds the session's rows and files. A session without files is only in the store. */
async function planOf(context: CommandContext, { local, team }: Stores, text: string): Promise<Plan> {
  const ref = await refOf(context, { local, team }, text);
  const onlyId = typeof ref === "string" ? ref : undefined;
  if (typeof ref !== "string" && isStream(ref))
    throw badArguments(`${ref.path} is a pipe or a device, not a session.`, "Give an id or the path of a file.");
  const family =
    typeof ref === "string" ? [] : (await familyOf(context, ref)).flatMap((each) => [each, ...each.alternatives]);
  const stored = local === undefined ? [] : [await storedIn(local, family, onlyId)];
  if (team !== undefined) {
    const here = stored.flatMap(({ sessions }) => sessions.map(({ session_id: id }) => id));
    const ids = [...here, ...family.map(({ id }) => id), ...(onlyId === undefined ? [] : [onlyId])];
    stored.push(await storedInTeam(team, new Set(ids.map(agentsId))));
  }
  return { id: typeof ref === "string" ? ref : ref.id, stored, deleteFiles: deletionOf(family) };
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

function entriesOf(events: number): string {
  return `${count(events)} ${events === 1 ? "entry" : "entries"}`;
}

type Figures = Pick<Stored, "sessions" | "events" | "snippets">;
const NOTHING: Figures = { sessions: [], events: 0, snippets: 0 };

async function refOf(context: CommandContext, { local, team }: Stores, text: string): Promise<SessionRef | string> {
  const { env, home, cwd } = context;
  try {
    // Without the sessions of the store, which has its own names for them.
    const ref = await sessionMeant(text, { env, home, cwd });
    // Unreadable files can be removed if they are in a session folder.
    return ref.place === "file" ? await sessionNamed(context, text) : ref;
  } catch (error) {
    if (!isSessionError(error) || error.code !== "not_found") throw error;
    try {
      if (local !== undefined) return await knownSessionId({ store: local, where: context }, text);
    } catch (inner) {
      if (!isFieldError(inner)) throw inner;
      if (inner.code !== "unknown_session") throw inner;
    }
    const ids = new Set((await team?.sessions())?.map(({ session_id: id }) => id).filter((id) => id.startsWith(text)));
    const [only, ...others] = new Set([...ids].map(agentsId));
    if (only === undefined) throw error;
    if (others.length > 0) throw badArguments(`${text} may be ${others.length + 1} sessions.`, "Give more of the id.");
    return only;
  }
}

/** Returns the content of the stores. */
function indexed({ stored }: Plan): Figures {
  return stored.reduce<Figures>(
    (sum, { sessions, events, snippets }) => ({
      sessions: [...sum.sessions, ...sessions],
      events: sum.events + events,
      snippets: sum.snippets + snippets,
    }),
    NOTHING,
  );
}

function sessionText({ colors }: CommandContext, plan: Plan): string {
  const { sessions, snippets } = indexed(plan);
  const lines = [
    colors.bold(`Session ${neutralLine(plan.id)}`),
    ...sessions.map(({ session_id: id, state }) => `  ${neutralLine(id)}, ${entriesOf(state.events)}`),
    ...(snippets === 0 ? [] : [`  ${counted(snippets, "snippet")}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns what a store has of these sessions, or of the one with an id, and of their subagents. */
async function storedIn(store: Store, refs: readonly SessionRef[], onlyId?: string): Promise<Stored> {
  const all = await store.sessions();
  const isOne = (session: StoredSession): boolean => {
    const { session_id: id, path } = session;
    if (id === onlyId) return true;
    return refs.some((ref) => (ref.path ?? ref.database) === path && (id === ref.id || id.startsWith(`${ref.id}@`)));
  };
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

async function countsIn(store: Store, sessions: readonly StoredSession[]): Promise<Omit<Figures, "sessions">> {
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
