/** Copies the rows of this machine to a team's database. */
import type { StoredBlock, StoredMessage, StoredSession } from "../store/stored-model.ts";
import { batches } from "../store/sql-database.ts";
import type { RowState, SessionChange, Store } from "../store/store.ts";
import { TranscriptsError } from "../transcripts-error.ts";
import { INDEX_LIMITS } from "./limits.ts";
import { agentsId } from "./session-keys.ts";

export interface PushOptions {
  signal?: AbortSignal;
  onProgress?: (progress: { done: number; total: number }) => void;
}

export interface PushReport {
  /** Sessions copied now, and those that were there as they are. */
  pushed: number;
  unchanged: number;
  /** Sessions that were removed from the team's database with `forget`. */
  forgotten: number;
  /** Sessions that another push is writing. */
  busy: number;
  /** Messages and blocks copied. */
  rows: number;
  snippets: number;
}

/** Ids, or snippets, in one request. */
const AT_A_TIME = 500;
/** Digits of a machine's id in the ids of its sessions. */
const MACHINE_DIGITS = 12;

/** Returns the id of a session of a machine in a team's database. */
function teamsId(sessionId: string, machineId: string): string {
  return `${sessionId}@${machineId.replaceAll("-", "").slice(0, MACHINE_DIGITS)}`;
}

/**
 * Copies sessions that changed since they were last copied, in transactions of limited size; of each only the rows that
 * changed. A session's mark comes with its last rows, so that the next push ends what this one did not, however it ended.
 * Rejects with a `TranscriptsError`.
 */
export async function push(local: Store, team: Store, { signal, onProgress }: PushOptions = {}): Promise<PushReport> {
  const machine = local.machine.id;
  if (machine === null)
    throw new TranscriptsError(
      "read_only",
      "This machine has no id, because its data folder cannot be written.",
      "Make ~/.local/share/opencode-transcripts writable.",
    );
  const report: PushReport = { pushed: 0, unchanged: 0, forgotten: 0, busy: 0, rows: 0, snippets: 0 };
  const mine = [...(await local.revisions())];
  const theirs = await team.revisions(machine);
  const forgotten = new Set((await team.forgotten()).map(({ session_id: id }) => id));
  const changed = mine.filter(([id, { revision }]) => {
    const isForgotten = forgotten.has(agentsId(id));
    const isCopied = theirs.get(teamsId(id, machine))?.copied_revision === revision;
    report.forgotten += Number(isForgotten);
    report.unchanged += Number(isCopied && !isForgotten);
    return !isForgotten && !isCopied;
  });
  for (const [at, [id]] of changed.entries()) {
    signal?.throwIfAborted();
    const rows = await new SessionPush({ local, team, machine, id, signal }).run();
    if (rows === undefined) report.busy += 1;
    else {
      report.pushed += 1;
      report.rows += rows;
    }
    onProgress?.({ done: at + 1, total: changed.length });
  }
  await pushLabels(local, team, machine);
  report.snippets = await pushSnippets(local, team, machine);
  return report;
}

interface PushedSession {
  local: Store;
  team: Store;
  machine: string;
  /** Its id here. */
  id: string;
  signal: AbortSignal | undefined;
}

/** Copies one session. */
class SessionPush {
  readonly #asked: PushedSession;
  readonly #id: string;
  #revision = 0;
  #rows = 0;

  constructor(asked: PushedSession) {
    this.#asked = asked;
    this.#id = teamsId(asked.id, asked.machine);
  }

  /** Resolves to the number of rows; undefined if another push, or `forget`, was faster. */
  async run(): Promise<number | undefined> {
    const { local, team, id } = this.#asked;
    // First, so that what is indexed during the push makes the next one copy the session again.
    const session = await local.session(id);
    if (session === undefined) return 0;
    const [here, there] = [await local.rowStates(id), await team.rowStates(this.#id)];
    this.#revision = (await team.session(this.#id))?.state.revision ?? 0;
    const messages = new Set(changedIds(here.messages, there.messages));
    const changed = (await local.messages(id)).filter(({ message_id: key }) => messages.has(key));
    for (const part of batches(changed, () => 0, { items: INDEX_LIMITS.events, size: 1 }))
      if (!(await this.#write(session, { messages: part.map((row) => this.#ofTeam(row)), blocks: [] })))
        return undefined;
    const blocks = changedIds(here.blocks, there.blocks);
    for (let at = 0; at < blocks.length; at += AT_A_TIME) {
      const rows = await local.blocks(id, { ids: blocks.slice(at, at + AT_A_TIME) });
      const size = { items: AT_A_TIME, size: INDEX_LIMITS.textChars };
      for (const part of batches(rows, ({ content }) => content.length, size))
        if (!(await this.#write(session, { messages: [], blocks: part.map((row) => this.#ofTeam(row)) })))
          return undefined;
    }
    const figures = await local.figures(id);
    const last = { messages: [], blocks: [], ...(figures === undefined ? {} : { figures }) };
    return (await this.#write(session, last, session.state.revision)) ? this.#rows : undefined;
  }

  /** `copied`: the revision that is copied with this last part. */
  async #write(
    { parent_id: parent, ...row }: StoredSession,
    rows: Pick<SessionChange, "messages" | "blocks" | "figures">,
    copied = 0,
  ): Promise<boolean> {
    const { local, team, machine, signal } = this.#asked;
    signal?.throwIfAborted();
    const session: StoredSession = {
      ...row,
      session_id: this.#id,
      parent_id: parent === null ? null : teamsId(parent, machine),
      machine_id: machine,
      host: local.machine.host,
      state: { ...row.state, revision: this.#revision + 1, copied_revision: copied },
    };
    const [done = false] = await team.writeSession({ session, expected: this.#revision, ...rows });
    this.#revision += 1;
    this.#rows += rows.messages.length + rows.blocks.length;
    return done;
  }

  #ofTeam<Row extends StoredBlock | StoredMessage>(row: Row): Row {
    return { ...row, session_id: this.#id };
  }
}

/** Returns the ids of rows that are not there, or not as they are here. */
function changedIds<State extends RowState>(
  here: ReadonlyMap<string, State>,
  there: ReadonlyMap<string, State>,
): string[] {
  return [...here].flatMap(([id, state]) => {
    const known = there.get(id);
    const isSame =
      known !== undefined && Object.entries(state).every(([name, value]) => Reflect.get(known, name) === value);
    return isSame ? [] : [id];
  });
}

/** Copies tags, pins and titles of sessions that are there, and removes those that are gone here. */
async function pushLabels(local: Store, team: Store, machine: string): Promise<void> {
  const [mine, there] = [await local.labels(), await team.labels({ machineId: machine })];
  const wanted = new Map([...mine.values()].map((each) => [teamsId(each.session_id, machine), each]));
  for (const id of there.keys())
    if (!wanted.has(id)) await team.setLabels({ session_id: id, tags: [], is_pinned: false, label_title: null });
  for (const [session_id, labels] of wanted) {
    const copy = { ...labels, session_id };
    const isSame = JSON.stringify(there.get(session_id)) === JSON.stringify(copy);
    if (!isSame && (await team.session(session_id)) !== undefined) await team.setLabels(copy);
  }
}

/** Copies the snippets that changed, and removes those that are gone here. Returns how many were copied. */
async function pushSnippets(local: Store, team: Store, machine: string): Promise<number> {
  const [here, there] = [await local.snippetTimes(), await team.snippetTimes(machine)];
  const gone = [...there.keys()].filter((id) => !here.has(id));
  const changed = [...here].flatMap(([id, time]) => (there.get(id) === time ? [] : [id]));
  let count = 0;
  if (gone.length > 0) await team.copySnippets(gone, []);
  for (const id of changed) {
    const snippet = await local.snippet(id);
    const session = snippet && (await local.session(snippet.session_id));
    if (snippet === undefined || session === undefined) continue;
    const session_id = teamsId(session.session_id, machine);
    // A session that is not whole there may lack the event.
    const revision = (await team.session(session_id))?.state.copied_revision;
    if (revision !== session.state.revision) continue;
    await team.copySnippets([id], [{ ...snippet, session_id }]);
    count += 1;
  }
  return count;
}
