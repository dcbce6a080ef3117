/** What the pages show: answers of the questions that commands and tools ask, too. */
import { statSync } from "node:fs";
import { shellWord } from "../calls/shell-syntax.ts";
import { given } from "../given.ts";
import type { ToolCall } from "../parse/model.ts";
import { readDate, readEndDate } from "../parse/read-date.ts";
import { type Turn, turnsOf } from "../parse/turns.ts";
import type { UsageTotals } from "../parse/usage-ledger.ts";
import { argumentOf, type SessionRef, type Where } from "../places/session-ref.ts";
import { ledgerOf, sumsOf } from "../queries/added-up.ts";
import type { CurrentIndex, CurrentIndexOptions } from "../queries/current-index.ts";
import { countSessions, listedSessions, listNeeds, sessionRow } from "../queries/listed-sessions.ts";
import { type Conversation, readConversation } from "../queries/read-session.ts";
import { tagCounts } from "../snippets/session-labels.ts";
import { changesIn, type FileChanges } from "../queries/session-changes.ts";
import { redactJson } from "../redact/redact-json.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { PageSession } from "../render/html/outline.ts";
import { ENTRIES_PER_PAGE, type Filters, sessionAddress, sessionPageName } from "../render/html/pages/addresses.ts";
import type { ChangedFile, ChangesData } from "../render/html/pages/changes-page.tsx";
import type { FiguresData } from "../render/html/pages/figures-page.tsx";
import type { SessionPageData } from "../render/html/pages/session-page.tsx";
import type { SessionRow, SessionsData } from "../render/html/pages/sessions-page.tsx";
import { shortTitle, type TurnRow } from "../render/html/turn-list.tsx";
import { resolveSession } from "../sessions/resolve-session.ts";
import { resumeOf } from "../sessions/resume.ts";
import { type SessionNode, sessionFamily } from "../sessions/session-family.ts";
import type { StoreWhere } from "../store/store-place.ts";

const ROWS_PER_PAGE = 100;

export interface DataOptions {
  where: Where & StoreWhere;
  /** Asks the current store: see `askStore`. */
  ask: <Answer>(
    needs: Pick<CurrentIndexOptions, "level" | "isEnough">,
    work: (index: CurrentIndex) => Promise<Answer>,
  ) => Promise<Answer>;
  redactor: Redactor;
  timeZone: string;
  now: () => Date;
  signal: AbortSignal;
}

export class SiteData {
  readonly #options: DataOptions;
  /** The session that was shown last, since its next page is often the next request. */
  #last: { key: string; read: Promise<ReadSessionPages> } | undefined;

  constructor(options: DataOptions) {
    this.#options = options;
  }

  async projects(): Promise<string[]> {
    const { ask, where } = this.#options;
    const needs = listNeeds(where, { limit: ROWS_PER_PAGE });
    return (await ask(needs, ({ store }) => store.projects())).toSorted();
  }

  async sessions(filters: Filters, page: number): Promise<SessionsData> {
    const { ask, where, redactor, now } = this.#options;
    const since = filters.since === undefined ? undefined : readDate(filters.since, now());
    const until = filters.until === undefined ? undefined : readEndDate(filters.until, now());
    const { project, agent } = filters;
    const failures = filters.failed === true ? ("found" as const) : undefined;
    const tags = filters.tag === undefined ? undefined : [filters.tag];
    const asked = given({ project, agent, since, until, failures, tags });
    const query = { ...asked, limit: ROWS_PER_PAGE, offset: (page - 1) * ROWS_PER_PAGE };
    const { sessions, total, agents, projects, allTags } = await ask(listNeeds(where, query), async (index) => ({
      ...(await listedSessions(index, where, query)),
      total: await countSessions(index, where, asked),
      agents: await index.store.agents(),
      projects: (await index.store.projects()).toSorted(),
      allTags: (await tagCounts(index.store)).map(({ tag }) => tag),
    }));
    const shown = sessions.map((session): SessionRow => {
      const row = sessionRow(session);
      return { ...row, id: row.session_id };
    });
    const texts = await redactJson(
      redactor,
      shown.map(({ title, prompt }) => ({ title, prompt })),
    );
    return {
      rows: shown.map((row, at) => Object.assign({ ...row }, texts[at]?.value)),
      filters,
      total,
      page,
      pages: Math.max(page, Math.ceil(total / ROWS_PER_PAGE)),
      agents,
      projects,
      tags: allTags,
      command: listCommand(filters),
    };
  }

  /** Returns a page of a session; undefined if it has fewer. Rejects with a `TranscriptsError` if there is no such session. */
  async session(id: string, page: number): Promise<SessionPageData | undefined> {
    const { ref, conversation, family, turns } = await this.#read(id);
    const last = conversation.messages.at(-1)?.ordinal ?? 0;
    const pages = Math.floor(last / ENTRIES_PER_PAGE) + 1;
    if (page > pages) return undefined;
    const from = (page - 1) * ENTRIES_PER_PAGE;
    const messages = conversation.messages.filter(({ ordinal }) => Math.floor(ordinal / ENTRIES_PER_PAGE) === page - 1);
    const ids = new Set(messages.map(({ id: message }) => message));
    const isHere = (ordinal: number | undefined): boolean =>
      ordinal !== undefined && Math.floor(ordinal / ENTRIES_PER_PAGE) === page - 1;
    const calls = conversation.tool_calls.filter(
      ({ use, result }) => isHere(use?.message_ordinal) || isHere(result?.message_ordinal),
    );
    // Results on the next page are shown in their calls, too.
    const blocks = new Set(calls.map(({ result }) => result?.block_id));
    const before = turns.filter(({ messages: [first] }) => (first?.message.ordinal ?? 0) < from);
    const root = "../../";
    const session: PageSession = {
      ...conversation,
      messages,
      content_blocks: conversation.content_blocks.filter(
        ({ id: block, message_id: message }) => ids.has(message) || blocks.has(block),
      ),
      tool_calls: calls,
      turnsBefore: before.at(-1)?.number ?? 0,
      children: await this.#children(family, root),
    };
    return {
      id,
      session,
      parent: null,
      agent: ref.agent,
      turns: turns.flatMap((turn) => turnRow(turn, conversation.tool_calls, page)),
      page,
      pages,
      resume: resumeOf(ref, conversation.metadata.cwd),
      tags: [],
      isPinned: false,
      command: `transcripts show ${shellWord(id)}`,
    };
  }

  async changes(id: string): Promise<ChangesData> {
    const { conversation } = await this.#read(id);
    const places = new Map(
      conversation.tool_calls.map(({ tool_use_id: call, use }) => [call, use?.message_ordinal ?? 0] as const),
    );
    return {
      session: { id, title: conversation.metadata.title ?? conversation.stats.initial_prompt },
      files: changesIn([{ conversation, label: null }]).map((file) => changedFile(file, places)),
      command: `transcripts changes ${shellWord(id)}`,
    };
  }

  async figures(): Promise<FiguresData> {
    const { ask, where, timeZone, now } = this.#options;
    const { sessions: read } = await ask({ level: "figures" }, (index) =>
      listedSessions(index, where, { subagents: true, empty: true, limit: Infinity }),
    );
    const sums = sumsOf(read, { by: "day", unreadable: 0, timeZone, named: new Set() });
    const ledger = ledgerOf(read, timeZone);
    const rowsOf = (rows: typeof sums.rows): FiguresData["projects"] =>
      rows.map(({ key, ...usage }) => ({ name: key ?? "(unknown)", ...shownSums(usage) }));
    return {
      days: sums.rows.flatMap(({ key, ...usage }) => (key === null ? [] : [{ day: key, ...shownSums(usage) }])),
      today: new Intl.DateTimeFormat("en-CA", { timeZone }).format(now()),
      projects: rowsOf(ledger.rows("project")),
      models: rowsOf(ledger.rows("model")),
      agents: rowsOf(ledger.rows("agent")),
      tools: sums.tools,
      total: {
        ...shownSums(sums.total),
        sessions: sums.sessions,
        active_ms: sums.active_ms,
        prompts: sums.prompts,
        tool_calls: sums.tool_calls,
        tool_errors: sums.tool_errors,
      },
      remark: remarkOf(sums.total),
      command: "transcripts stats --by day",
    };
  }

  async #children({ children }: SessionNode, root: string): Promise<PageSession[]> {
    const { ask, where } = this.#options;
    if (children.length === 0) return [];
    const places = new Map(children.map(({ ref }) => [keyOf(ref), ref]));
    const { sessions } = await ask({ level: "figures" }, async (index) => {
      const ids = [...index.here].flatMap(([id, ref]) => (places.has(keyOf(ref)) ? [id] : []));
      const archived = children.flatMap(({ ref }) => ref.archived?.sessionId ?? []);
      const query = { ids: [...ids, ...archived], subagents: true, empty: true, limit: Infinity };
      return listedSessions(index, where, query);
    });
    return sessions.map(({ ref, figures: of }): PageSession => {
      const metadata = { agentId: ref.agentId, version: null, gitBranch: null, ...of.metadata };
      return {
        messages: [],
        content_blocks: [],
        tool_calls: [],
        errors: [],
        stats: of.stats,
        metadata,
        children: [],
        href: root + sessionAddress(argumentOf(ref)),
      };
    });
  }

  /** Reads a session, unless it is the one that was read last and has not changed. */
  async #read(id: string): Promise<ReadSessionPages> {
    const { where, redactor, signal } = this.#options;
    const ref = await resolveSession(id, where);
    const facts = ref.path === null ? undefined : statSync(ref.path, { throwIfNoEntry: false });
    const key = [id, facts?.mtimeMs ?? ref.modifiedMs, facts?.size ?? 0].join(" ");
    if (this.#last?.key !== key) {
      const read = (async (): Promise<ReadSessionPages> => {
        const conversation = await readConversation(ref, { redactor, signal, subagents: true });
        const { root } = await sessionFamily(ref, where);
        return { ref, conversation, family: root, turns: turnsOf(conversation) };
      })();
      read.catch(() => (this.#last = undefined));
      this.#last = { key, read };
    }
    return this.#last.read;
  }
}

function keyOf({ path, database, id }: SessionRef): string {
  return `${path ?? database ?? ""} ${id}`;
}

interface ReadSessionPages {
  ref: SessionRef;
  conversation: Conversation;
  family: SessionNode;
  turns: readonly Turn[];
}

function turnRow({ number, prompt, messages }: Turn, all: readonly ToolCall[], page: number): TurnRow[] {
  if (prompt === undefined) return [];
  const ordinals = new Set(messages.map(({ message }) => message.ordinal));
  const calls = all.filter(({ use }) => use !== null && ordinals.has(use.message_ordinal));
  const { ordinal, timestamp } = prompt.message;
  const at = Math.floor(ordinal / ENTRIES_PER_PAGE) + 1;
  const costs = messages.flatMap(({ message }) => message.cost_usd ?? []);
  const text = prompt.message.metadata.command ?? prompt.blocks.find(({ content_text: said }) => said)?.content_text;
  return [
    {
      number,
      href: `${at === page ? "" : sessionPageName(at)}#turn-${number}`,
      title: shortTitle(text ?? ""),
      time: timestamp,
      calls: calls.length,
      failed: calls.filter(({ status }) => status === "error").length,
      cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    },
  ];
}

function changedFile({ path, changes }: FileChanges, places: ReadonlyMap<string | null, number>): ChangedFile {
  const lines = changes.flatMap(({ diff }) => (diff === "" ? [] : diff.split("\n")));
  return {
    path: path ?? "Files that a command did not name",
    diff: lines.join("\n"),
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    ordinals: [...new Set(changes.map(({ tool_use_id: call }) => places.get(call) ?? 0))],
    commands: changes.flatMap(({ command }) => command ?? []),
  };
}

function remarkOf({ cost_is_estimate: isEstimate, unpriced_models: unpriced }: UsageTotals): string {
  const parts = [
    isEstimate ? "Where a subscription recorded no cost, it is estimated from prices." : "",
    unpriced.length === 0 ? "" : `Without a known price, and in no cost: ${unpriced.join(", ")}.`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function shownSums({ messages, tokens_in, tokens_out, cache_read, cache_write, cost_usd }: UsageTotals) {
  return { answers: messages, tokens: tokens_in + tokens_out + cache_read + cache_write, cost_usd };
}

function listCommand({ agent, project, since, until, text }: Filters): string {
  const parts = [
    text === undefined ? "transcripts list" : `transcripts find ${shellWord(text)}`,
    ...(agent === undefined ? [] : [`--agent ${shellWord(agent)}`]),
    ...(project === undefined ? [] : [`--project ${shellWord(project)}`]),
    ...(since === undefined ? [] : [`--since ${shellWord(since)}`]),
    ...(until === undefined ? [] : [`--until ${shellWord(until)}`]),
  ];
  return parts.join(" ");
}
