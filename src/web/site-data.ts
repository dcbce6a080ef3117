/** Data for the pages: answers to the same questions that commands and tools ask. All come from the store. */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { given } from "../given.ts";
import { baseId } from "../indexing/session-keys.ts";
import { isCurrent, markOf } from "../indexing/is-current.ts";
import { updateIndex } from "../indexing/update-index.ts";
import { piecesOf } from "../parse/conversation.ts";
import { catalogPricing } from "../parse/pricing.ts";
import { answerStats } from "../parse/statistics.ts";
import { readDate, readEndDate } from "../parse/read-date.ts";
import { searchedTexts } from "../parse/searched-texts.ts";
import type { Where } from "../places/session-ref.ts";
import { sumsOf } from "../queries/added-up.ts";
import { readableSession } from "../queries/stored-session.ts";
import { matchText, nothingFoundText } from "../render/text/passage-text.ts";
import { find } from "../queries/find-passages.ts";
import {
  countSessions,
  filterOf,
  type ListedSession,
  listedSessions,
  sessionRow,
  type SessionsQuery,
} from "../queries/listed-sessions.ts";
import { labelSession, tagsOf } from "../snippets/session-labels.ts";
import { failureGroups, groupFinder } from "../queries/failure-groups.ts";
import { pastFixes } from "../queries/past-fixes.ts";
import { changesIn } from "../queries/file-changes.ts";
import type { ToolCall } from "../parse/model.ts";
import { turnsOf } from "../parse/turns.ts";
import { messageRow } from "../queries/message-row.ts";
import type { RowsData } from "../render/html/pages/rows-page.tsx";
import { pageOf } from "../queries/session-part.ts";
import { type OutlinedTurn, sessionTurns } from "../queries/session-turns.ts";
import { StoredConversation } from "../queries/stored-conversation.ts";
import { originOf, placedRef, storedTitle } from "../queries/stored-session.ts";
import type { PageSession } from "../render/html/outline.ts";
import {
  ENTRIES_PER_PAGE,
  type Filters,
  idOfPath,
  failureAddress,
  rowsPageName,
  sessionAddress,
  sessionPageName,
} from "../render/html/pages/addresses.ts";
import type { CitedCall, FailureData } from "../render/html/pages/failures-page.tsx";
import type { FileData } from "../render/html/pages/files-page.tsx";
import type { Hit, SearchData } from "../render/html/pages/search-page.tsx";
import type { ChangesData } from "../render/html/pages/changes-page.tsx";
import type { FiguresData } from "../render/html/pages/figures-page.tsx";
import type { SessionPageData } from "../render/html/pages/session-page.tsx";
import type { Choices, ListedRow, SessionsData } from "../render/html/pages/sessions-page.tsx";
import { seenText } from "../render/html/block-view.tsx";
import { shortTitle, type TurnRow } from "../render/html/turn-list.tsx";
import { resumeOf } from "../sessions/resume.ts";
import type { StoredSession } from "../store/stored-model.ts";
import type { FailureGroup, SessionFilter, Store, TouchedSums } from "../store/store.ts";
import { counted } from "../quantities.ts";

const ROWS_PER_PAGE = 100;
const HITS = 50;
const HITS_OF_SESSION = 3;
const FAILURES = 200;
const SESSIONS_OF_FAILURE = 30;
const FILES = 300;

export interface DataOptions {
  /** Stays open as long as the pages are shown. */
  store: Store;
  where: Where;
  timeZone: string;
  now: () => Date;
  signal: AbortSignal;
  /** Only these sessions. Default: all. */
  only?: Pick<SessionsQuery, "since" | "until" | "project" | "agent" | "tags">;
}

/** A session of an archive. */
export type SessionOfArchive = ListedRow & {
  /** Changes with the session, and with the tags, pin and title that the user gave it. */
  version: string;
  /** Names of the tools that it called. */
  tools: readonly string[];
  /** How often its errors came up in all sessions, as its pages say. */
  seen: readonly string[];
};

/** A page of an archive, or the pages of a list, with the sessions that may be on it. */
export interface ArchivedPart<Of> {
  of: Of;
  ids: readonly string[];
}

/** Sessions whose turns are kept. */
const MAX_KNOWN = 20;

export class SiteData {
  readonly #options: DataOptions;
  /** By session: its turns at a revision. */
  readonly #known = new Map<string, { revision: number; turns: ReturnType<typeof sessionTurns> }>();

  /** Number of sessions that were brought up to date because their pages were asked for. */
  updates = 0;

  /** Paths of files by their ids in addresses, as far as they were listed. */
  readonly #paths = new Map<string, string>();

  /** Adding up all sessions takes long, so the sums are kept until a session has another mark. */
  #knownFigures: { marks: string; figures: FiguresData } | undefined;

  constructor(options: DataOptions) {
    this.#options = options;
  }

  async #listed(query: SessionsQuery): ReturnType<typeof listedSessions> {
    const { where, only } = this.#options;
    return listedSessions(this.#index, where, { ...only, ...query });
  }

  get #index(): Parameters<typeof listedSessions>[0] {
    return { store: this.#options.store, here: new Map(), elsewhere: [] };
  }

  projects(): Promise<string[]> {
    return this.#options.store.projects();
  }

  async sessions(filters: Filters, page: number): Promise<SessionsData> {
    const { store } = this.#options;
    const asked = this.#asked(filters);
    const found = await this.#listed({ ...asked, limit: ROWS_PER_PAGE, offset: (page - 1) * ROWS_PER_PAGE });
    return {
      rows: found.sessions.map((read) => listRow(read, store)),
      filters,
      page,
      isMore: found.isMore,
      total: await this.#count(asked),
      ...(await this.#choices()),
    };
  }

  #asked(filters: Filters): Omit<SessionsQuery, "limit"> {
    const { project, agent, tool, model, tag, failed } = filters;
    const tags = [...(this.#options.only?.tags ?? []), ...(tag === undefined ? [] : [tag])];
    return given({
      ...this.#between(filters),
      project,
      agent,
      tool,
      model,
      failures: failed === true ? ("found" as const) : undefined,
      tags: tags.length === 0 ? undefined : tags,
    });
  }

  #count(asked: Omit<SessionsQuery, "limit">): Promise<number> {
    const { where, only } = this.#options;
    return countSessions(this.#index, where, { ...only, ...asked });
  }

  async #choices(): Promise<Omit<Choices, "filters">> {
    const { store } = this.#options;
    return {
      agents: (await store.agents()).toSorted(),
      projects: (await store.projects()).toSorted(),
      tags: await tagsOf(store),
    };
  }

  /** Returns a page of a session; undefined if it has fewer, or if there is no such session. */
  async session(id: string, page: number): Promise<SessionPageData | undefined> {
    const { store } = this.#options;
    const read = await this.#current(id);
    if (read === undefined) return undefined;
    const { ref, stored, labels } = read;
    const { turns, end } = await this.#turns(stored);
    const pages = pagesTo(end);
    if (page > pages) return undefined;
    const part = await this.#part(stored, page);
    const parent = stored.parent_id === null ? undefined : await store.session(stored.parent_id);
    const session: PageSession = {
      ...part,
      ...pageFigures(read),
      children: await this.#children(stored),
      seen: await this.#seenErrors(part.tool_calls),
      nextFailure: nextFailure(turns, page),
      rows: rowsPageName(page),
    };
    return {
      id,
      session,
      parent: parent === undefined ? null : { id: parent.session_id, title: storedTitle(parent) },
      agent: ref.agent,
      turns: turns.map((turn) => turnRow(turn, page)),
      page,
      pages,
      resume: resumeOf(ref, stored.cwd),
      tags: labels?.tags ?? [],
      isPinned: labels?.is_pinned ?? false,
    };
  }

  /** Returns the rows of a page of a session; undefined if it has fewer pages, or if there is no such session. */
  async rows(id: string, page: number): Promise<RowsData | undefined> {
    const read = await this.#current(id);
    if (read === undefined || page < 1 || page > (await this.pagesOf(id))) return undefined;
    const { stored } = read;
    const { turnsBefore, ...part } = await this.#part(stored, page);
    const rows = turnsOf(part, turnsBefore).flatMap(({ number, messages }) =>
      messages.map((view) => messageRow(view, id, number)),
    );
    return { id, title: storedTitle(stored), rows, page };
  }

  /** Returns the messages of a page. */
  async #part(stored: StoredSession, page: number): ReturnType<typeof pageOf> {
    const first = (page - 1) * ENTRIES_PER_PAGE;
    return pageOf(this.#conversation(stored), { first, count: ENTRIES_PER_PAGE });
  }

  /** Returns a function that says how often the error of a failed call came up, if it is one of the most frequent. */
  async #seenErrors(calls: readonly ToolCall[]): Promise<NonNullable<PageSession["seen"]>> {
    if (!calls.some(({ status }) => status === "error")) return () => undefined;
    const groupOf = groupFinder(await this.failures());
    return (error) => {
      const group = groupOf(error);
      if (group === undefined) return undefined;
      const { signature, count, session_count: sessions } = group;
      return { count, sessions, href: `../../${failureAddress(idOfPath(signature))}` };
    };
  }

  async changes(id: string): Promise<ChangesData | undefined> {
    const read = await this.#current(id);
    if (read === undefined) return undefined;
    const { stored, figures } = read;
    const part = await pageOf(this.#conversation(stored), { first: 0, count: Number.POSITIVE_INFINITY });
    const conversation = { id, ...part, metadata: { ...NO_METADATA, ...figures.metadata } };
    const files = changesIn([{ conversation, label: null }]);
    const ordinals = part.tool_calls.map(({ tool_use_id: call, use }) => [call, use?.message_ordinal ?? 0] as const);
    return { session: { id, title: storedTitle(stored), cwd: stored.cwd }, files, ordinals: new Map(ordinals) };
  }

  async figures(): Promise<FiguresData> {
    const { store, timeZone, now } = this.#options;
    const today = new Intl.DateTimeFormat("en-CA", { timeZone }).format(now());
    const marks = createHash("sha256")
      .update(JSON.stringify([today, await store.marks()]))
      .digest("base64");
    if (this.#knownFigures?.marks !== marks) this.#knownFigures = { marks, figures: await this.#figures(today) };
    return this.#knownFigures.figures;
  }

  async #figures(today: string): Promise<FiguresData> {
    const { store, where, only, timeZone } = this.#options;
    // Sums need no files.
    const index = { ...this.#index, refOf: (stored: StoredSession) => placedRef(stored, store) };
    const all = { ...only, subagents: true, empty: true, limit: Number.POSITIVE_INFINITY };
    const { sessions: read } = await listedSessions(index, where, all);
    const { sums, ledger } = sumsOf(read, { by: "day", unreadable: 0, timeZone, named: new Set() });
    const [projects, models, agents] = [ledger.rows("project"), ledger.rows("model"), ledger.rows("agent")];
    return { sums, today, projects, models, agents };
  }

  /** Searches the store as it is; what is new is added behind the pages. Rejects with a `TranscriptsError`. */
  async search(filters: Filters & { text: string }): Promise<SearchData> {
    const { where, signal, now } = this.#options;
    const { text, project, agent, tool, tag } = filters;
    const found = await find(this.#index, where, {
      term: text,
      perSession: HITS_OF_SESSION,
      ...given({ project, agent, tool, tags: tag === undefined ? undefined : [tag], ...this.#between(filters) }),
      ...(filters.failed === true && { errorsOnly: true }),
      limit: HITS,
      now: now(),
      signal,
    });
    const hits: Hit[] = [];
    for (const passage of found.passages) {
      const { session_id: id, event_id: event } = passage;
      const ordinals = await this.#options.store.messageOrdinals(id, [event]);
      hits.push({ ...passage, ordinal: ordinals.get(event) ?? 0 });
    }
    const { total, isTotalExact } = found.result;
    return {
      filters,
      ...(await this.#choices()),
      hits,
      total,
      remark: hits.length === 0 ? nothingFoundText(found.words) : matchText(found.passages, found.result),
      scope: `Searched ${counted(found.sessions, "session")}${isTotalExact ? "" : "; there are more, older ones"}.`,
    };
  }

  /** Returns the most frequent errors. */
  async failures(): Promise<FailureGroup[]> {
    const { where, only } = this.#options;
    return failureGroups(this.#index, where, { ...only, limit: FAILURES });
  }

  /** Returns an error with what fixed it; undefined if there is none with this id. */
  async failure(id: string): Promise<FailureData | undefined> {
    const { where, only = {}, signal } = this.#options;
    const group = (await this.failures()).find(({ signature }) => idOfPath(signature) === id);
    if (group === undefined) return undefined;
    const fixes: FailureData["fixes"][number][] = [];
    const { project, agent, tags } = only;
    const asked = { error: group.example.content, isSame: true, project, agent, tags, signal };
    for (const fix of (await pastFixes(this.#index, where, asked)).flatMap((same) => same.fixes))
      fixes.push({ ...fix, call: await this.#cited(fix.session_id, fix.line_number, fix.latest) });
    return { group, seen: await this.#seenIn(group), fixes };
  }

  /** Returns the sessions with an error, the newest first: its latest call, and of other sessions how often it came up. */
  async #seenIn({ signature, example, session_count: all }: FailureGroup): Promise<FailureData["seen"]> {
    const { store } = this.#options;
    const counts = (await store.failures([signature], await this.#filter()))
      .toSorted((a, b) => ((a.latest ?? "") < (b.latest ?? "") ? 1 : -1))
      .slice(0, SESSIONS_OF_FAILURE);
    const titles = await this.#titles(counts.map(({ session_id: id }) => id));
    const { session_id: newest, line_number: line, occurred_at: time } = example;
    const { ordinal } = await this.#cited(newest, line, time);
    const calls = counts.map(({ session_id: id, count, latest }) => ({
      session_id: id,
      title: titles.get(id) ?? "",
      ...(id === newest && { ordinal }),
      count,
      time: latest,
    }));
    return { calls, more: all - calls.length };
  }

  /** Returns the files that were used last. */
  async files(): Promise<TouchedSums[]> {
    const files = await this.#options.store.touchedFiles({ limit: FILES, sessions: await this.#filter() });
    for (const { path } of files) this.#paths.set(idOfPath(path), path);
    return files;
  }

  /** Returns all files, by their ids. */
  async fileParts(): Promise<ArchivedPart<string>[]> {
    const found = await this.#options.store.fileSessions(await this.#filter());
    for (const path of found.keys()) this.#paths.set(idOfPath(path), path);
    return [...found].map(([path, ids]) => ({ of: idOfPath(path), ids }));
  }

  /** Returns the sessions that used a file; undefined if no session did. */
  async file(id: string): Promise<FileData | undefined> {
    const { store } = this.#options;
    if (!this.#paths.has(id)) await this.fileParts();
    const path = this.#paths.get(id);
    if (path === undefined) return undefined;
    const uses = await store.fileUses(path, await this.#filter());
    if (uses.length === 0) return undefined;
    const titles = await this.#titles(uses.map(({ session_id: session }) => session));
    return { path, uses: uses.map((use) => ({ ...use, title: titles.get(use.session_id) ?? "" })) };
  }

  /** Returns the titles of sessions, by id. */
  async #titles(ids: readonly string[]): Promise<Map<string, string>> {
    const sessions = await this.#options.store.sessions({ ids });
    return new Map(sessions.map((session) => [session.session_id, storedTitle(session)]));
  }

  async #filter(): Promise<SessionFilter> {
    const { where, only = {} } = this.#options;
    return filterOf(this.#index, where, only);
  }

  async #cited(session: string, line: number | null, time: string | null): Promise<CitedCall> {
    const { store } = this.#options;
    const stored = await store.session(session);
    const [event] =
      line === null ? [] : await store.events(session, { from: 0, limit: 1, lines: { start: line, end: line } });
    const ordinals = event === undefined ? undefined : await store.messageOrdinals(session, [event.event_id]);
    return {
      session_id: session,
      title: stored === undefined ? "" : storedTitle(stored),
      ordinal: ordinals?.get(event?.event_id ?? "") ?? 0,
      time,
    };
  }

  #between({ since, until }: Filters): { since?: Date | undefined; until?: Date | undefined } {
    const now = this.#options.now();
    return {
      since: since === undefined ? undefined : readDate(since, now),
      until: until === undefined ? undefined : readEndDate(until, now),
    };
  }

  /** Gives a session tags, a pin and a title. Rejects with a `TranscriptsError` for a tag or title that is not allowed. */
  async label(
    id: string,
    { tags, title, pinned }: { tags: readonly string[]; title: string; pinned: boolean },
  ): Promise<void> {
    const { store } = this.#options;
    const before = (await store.labels({ id })).get(id)?.tags ?? [];
    const remove = before.filter((tag) => !tags.includes(tag));
    const own = (await store.session(id))?.given_title ?? "";
    await labelSession({ store }, id, { add: tags, remove, pinned, title: title === own ? "" : title });
  }

  /** Returns a text that changes whenever the pages of a session may have. */
  async stamp(id: string): Promise<string> {
    const stored = await this.#options.store.session(id);
    if (stored === undefined) return "";
    // New rows of a SQLite database are in a file beside it.
    const facts = [stored.path, `${stored.path}-wal`].map((path) => statSync(path, { throwIfNoEntry: false }));
    return facts.map((each) => `${each?.mtimeMs} ${each?.size}`).join(" ");
  }

  /** Returns all sessions, the latest first. */
  async archived(): Promise<SessionOfArchive[]> {
    const { store } = this.#options;
    const { sessions } = await this.#listed({ subagents: true, empty: false, limit: Number.POSITIVE_INFINITY });
    const seen = await this.#seenBySession();
    return sessions.map((read) => {
      const row = listRow(read, store);
      const version = JSON.stringify([read.stored.state.revision, row.is_archived, read.labels ?? null]);
      return {
        ...row,
        version,
        tools: Object.keys(read.figures.stats.tools),
        seen: (seen.get(row.id) ?? []).toSorted(),
      };
    });
  }

  /** Returns the most frequent errors. */
  async failureParts(): Promise<ArchivedPart<FailureGroup>[]> {
    const groups = await this.failures();
    const counts = await this.#options.store.failures(
      groups.map(({ signature }) => signature),
      await this.#filter(),
    );
    const bySignature = Map.groupBy(counts, ({ signature }) => signature);
    return groups.map((of) => ({
      of,
      ids: (bySignature.get(of.signature) ?? []).map(({ session_id: id }) => id),
    }));
  }

  /** Returns how often the errors of each session came up in all sessions, as its pages say. */
  async #seenBySession(): Promise<Map<string, string[]>> {
    const seen = new Map<string, string[]>();
    for (const { of, ids } of await this.failureParts()) {
      const said = `${of.signature} ${of.count > 1 ? seenText({ count: of.count, sessions: of.session_count }) : ""}`;
      for (const id of ids) seen.set(id, [...(seen.get(id) ?? []), said]);
    }
    return seen;
  }

  /** Returns the lists with one filter, and the one with all sessions. The list of a day may have fewer sessions than `ids`. */
  async listParts(sessions: readonly SessionOfArchive[]): Promise<ArchivedPart<Filters>[]> {
    const parts = new Map<string, ArchivedPart<Filters> & { ids: string[] }>();
    const add = (filters: Filters, id: string): void => {
      const key = JSON.stringify(filters);
      const part = parts.get(key);
      if (part === undefined) parts.set(key, { of: filters, ids: [id] });
      else part.ids.push(id);
    };
    for (const { id, agent, project, tools, models, tags } of sessions) {
      if (agent !== null) add({ agent }, id);
      if (project !== null) add({ project }, id);
      for (const tool of tools) add({ tool }, id);
      for (const model of models) add({ model }, id);
      for (const tag of tags) add({ tag }, id);
    }
    const days = (await this.figures()).sums.rows.flatMap(({ key }) => key ?? []);
    // A session without times is on no day.
    const times = sessions.map(({ id, started, ended }) => ({
      id,
      start: milliseconds(started),
      end: milliseconds(ended),
    }));
    const ofDays = days.map((day): ArchivedPart<Filters> => {
      const filters = { since: day, until: day };
      const { since, until } = this.#between(filters);
      const [from, to] = [milliseconds(since), milliseconds(until)];
      return { of: filters, ids: times.flatMap(({ id, start, end }) => (start < to && end >= from ? id : [])) };
    });
    return [{ of: {}, ids: sessions.map(({ id }) => id) }, ...parts.values(), ...ofDays];
  }

  /** Returns the number of pages of a list. */
  async pagesOfList(filters: Filters): Promise<number> {
    return Math.max(1, Math.ceil((await this.#count(this.#asked(filters))) / ROWS_PER_PAGE));
  }

  /** Returns the number of pages of a session, without what its source dropped. */
  async pagesOf(id: string): Promise<number> {
    const stored = await this.#options.store.session(id);
    return stored === undefined ? 0 : pagesTo((await this.#turns(stored)).end);
  }

  /** Yields the texts of a session, with the addresses of their entries. */
  async *texts(id: string): AsyncGenerator<{ text: string; href: string }> {
    const stored = await this.#options.store.session(id);
    if (stored === undefined) return;
    for await (const { message, blocks } of piecesOf(this.#conversation(stored))) {
      const href = sessionAddress(id, message.ordinal);
      for (const block of blocks) for (const text of searchedTexts(block)) yield { text, href };
    }
  }

  /** Returns a session as its source is now. */
  async #current(id: string): Promise<ListedSession | undefined> {
    const { store, where, signal } = this.#options;
    const known = await store.session(id);
    if (known === undefined) return undefined;
    const source = readableSession(store, known);
    if (source.archived === null && !isCurrent(source, markOf(known))) {
      await updateIndex(store, where, { only: [source], signal });
      this.updates += 1;
    }
    const { sessions } = await this.#listed({ ids: [id], subagents: true, empty: true, limit: 1 });
    return sessions[0];
  }

  #conversation(stored: StoredSession): StoredConversation {
    const { store, signal } = this.#options;
    return new StoredConversation(store, stored, { signal });
  }

  /** Returns the turns of a session, which take longer to find than a page to make. */
  #turns(stored: StoredSession): ReturnType<typeof sessionTurns> {
    const { session_id: id, state } = stored;
    const known = this.#known.get(id);
    if (known?.revision === state.revision) return known.turns;
    const turns = this.#outlined(stored);
    turns.catch(() => this.#known.delete(id));
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(id, { revision: state.revision, turns });
    return turns;
  }

  async #outlined(stored: StoredSession): ReturnType<typeof sessionTurns> {
    const { turns, end } = await sessionTurns(this.#options.store, stored, await catalogPricing());
    // Prompts may be long, and the list of turns has only their beginnings.
    return { turns: turns.map((turn) => ({ ...turn, text: shortTitle(turn.text) })), end };
  }

  async #children({ session_id: id }: StoredSession): Promise<PageSession[]> {
    const { sessions } = await this.#listed({
      parent: baseId(id),
      subagents: true,
      empty: true,
      limit: Number.POSITIVE_INFINITY,
    });
    return sessions.map((read): PageSession => ({
      messages: [],
      content_blocks: [],
      tool_calls: [],
      ...pageFigures(read),
      children: [],
      href: `../../${sessionAddress(read.stored.session_id)}`,
    }));
  }
}

/** Returns milliseconds since 1970; NaN, which no comparison is true of, without a time. */
function milliseconds(time: string | Date | null | undefined): number {
  return new Date(time ?? Number.NaN).getTime();
}

const NO_METADATA = { agentId: null, version: null, gitBranch: null };

function pageFigures({ ref, figures }: ListedSession): Pick<PageSession, "stats" | "metadata" | "errors"> {
  return {
    stats: { ...figures.stats, ...answerStats(figures.usage) },
    metadata: {
      ...NO_METADATA,
      ...figures.metadata,
      agentId: ref.agentId,
    },
    errors: [],
  };
}

/** All pages come from the store; a session is said to be from it only if its file is not here. */
function listRow(read: ListedSession, store: Store): ListedRow {
  const { host, isGone } = originOf(read.stored, store);
  return { ...sessionRow(read), id: read.stored.session_id, is_archived: host !== null || isGone };
}

/** Returns the number of pages with the entries before an ordinal. */
function pagesTo(end: number): number {
  return Math.max(1, Math.ceil(end / ENTRIES_PER_PAGE));
}

function turnRow({ ordinal, text, failures, ...turn }: OutlinedTurn, page: number): TurnRow {
  const [failure] = failures;
  return {
    ...turn,
    href: `${pageWith(ordinal, page)}#turn-${turn.number}`,
    failure: failure === undefined ? null : `${pageWith(failure, page)}#m${failure}`,
    title: text,
  };
}

/** Returns the page with an entry, as a link on another page has it; empty if it is the same. */
function pageWith(ordinal: number, page: number): string {
  const at = Math.floor(ordinal / ENTRIES_PER_PAGE) + 1;
  return at === page ? "" : sessionPageName(at);
}

/** Returns the address of the first failure after a page. */
function nextFailure(turns: readonly OutlinedTurn[], page: number): string | undefined {
  const next = turns.flatMap(({ failures }) => failures).find((ordinal) => ordinal >= page * ENTRIES_PER_PAGE);
  return next === undefined ? undefined : `${pageWith(next, page)}#m${next}`;
}
