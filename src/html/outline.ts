/** What has to be known of a session before its page can be begun: the first of the two times that it is gone over. */
import type { ParsedContentBlock, ToolCall } from "../parse/model.ts";
import { oneLine } from "./excerpt.ts";
import type { PageEntry, PageSession } from "./page-session.ts";

const MAX_TURN_TITLE_CHARS = 140;

/** What follows on one thing that a person said. */
export interface Turn {
  /** From 1. */
  number: number;
  /** Of the message that begins it. */
  ordinal: number;
  timestamp: string | null;
  title: string;
  calls: number;
  failures: number;
}

/** A call with the blocks that are shown in it. */
export interface PairedCall {
  call: ToolCall;
  /** Null if there is none, or if its block is not in the session. */
  result: ParsedContentBlock | null;
  /** Sessions that the call started. */
  children: readonly PageSession[];
}

export interface Outline {
  turns: readonly Turn[];
  /** By the id of the `tool_use` block. */
  calls: ReadonlyMap<string, PairedCall>;
  /** Ids of results that are shown in their call. */
  resultsInCalls: ReadonlySet<string>;
  /** Ordinals of messages of which nothing is left to show where they stand, since all they have is shown in calls. */
  emptied: ReadonlySet<number>;
  /** Children that no call names. */
  otherChildren: readonly PageSession[];
  /** The whole session is a subagent's, so that its messages need no mark of it. */
  isSubagent: boolean;
}

export async function outlineOf(session: PageSession): Promise<Outline> {
  const draft = new OutlineDraft(session);
  for await (const entry of session.messages) draft.add(entry);
  return draft.finish();
}

/** Whether a person begins a turn with it. */
export function beginsTurn({ message, amends }: PageEntry, isSubagent: boolean): boolean {
  if (amends === true || message.user_kind !== "human" || (message.is_sidechain && !isSubagent)) return false;
  const { origin } = message.metadata;
  return origin === undefined || origin === "command" || origin === "queued";
}

class OutlineDraft {
  readonly #session: PageSession;
  #isSubagent: boolean | undefined;
  readonly #byUse = new Map<string, ToolCall>();
  readonly #useOfResult = new Map<string, string>();
  readonly #results = new Map<string, ParsedContentBlock>();
  readonly #uses = new Map<string, ParsedContentBlock>();
  /** The calls in which all blocks of a message are shown, by its ordinal. */
  readonly #shownInCalls = new Map<number, string[]>();
  readonly #turns: Turn[] = [];

  constructor(session: PageSession) {
    this.#session = session;
    for (const call of session.toolCalls) {
      if (call.use === null) continue;
      this.#byUse.set(call.use.block_id, call);
      if (call.result !== null) this.#useOfResult.set(call.result.block_id, call.use.block_id);
    }
  }

  add(entry: PageEntry): void {
    const { message, blocks } = entry;
    // A session begins with its own messages, so one that begins with a subagent's is the subagent's.
    if (message.role !== null) this.#isSubagent ??= message.is_sidechain;
    if (beginsTurn(entry, this.#isSubagent ?? false)) this.#beginTurn(entry);
    const shownIn: string[] = [];
    for (const block of blocks) {
      const use = this.#useOfResult.get(block.id);
      if (use !== undefined) {
        this.#results.set(use, block);
        shownIn.push(use);
      } else if (block.block_type === "tool_use") this.#addCall(block);
    }
    if (blocks.length > 0 && shownIn.length === blocks.length) this.#shownInCalls.set(message.ordinal, shownIn);
    else this.#shownInCalls.delete(message.ordinal);
  }

  finish(): Outline {
    // A part of a session may have results whose calls are not in it.
    for (const use of this.#results.keys()) if (!this.#uses.has(use)) this.#results.delete(use);
    const { childrenOf, others } = this.#placeChildren();
    const calls = Array.from(this.#byUse, ([id, call]): [string, PairedCall] => [
      id,
      { call, result: this.#results.get(id) ?? null, children: childrenOf.get(id) ?? [] },
    ]);
    return {
      turns: this.#turns,
      calls: new Map(calls),
      resultsInCalls: new Set(Array.from(this.#results.values(), ({ id }) => id)),
      emptied: this.#emptied(),
      otherChildren: others,
      isSubagent: this.#isSubagent ?? false,
    };
  }

  #emptied(): Set<number> {
    const emptied = new Set<number>();
    for (const [ordinal, uses] of this.#shownInCalls) {
      if (uses.every((use) => this.#uses.has(use))) emptied.add(ordinal);
    }
    return emptied;
  }

  #beginTurn(entry: PageEntry): void {
    const { ordinal, timestamp } = entry.message;
    const number = this.#turns.length + 1;
    this.#turns.push({ number, ordinal, timestamp, title: turnTitle(entry), calls: 0, failures: 0 });
  }

  #addCall(block: ParsedContentBlock): void {
    this.#uses.set(block.id, block);
    const turn = this.#turns.at(-1);
    if (turn === undefined) return;
    turn.calls += 1;
    if (this.#byUse.get(block.id)?.status === "error") turn.failures += 1;
  }

  #placeChildren(): { childrenOf: Map<string, PageSession[]>; others: PageSession[] } {
    const callOf = new Map<string, string>();
    for (const [use, block] of [...this.#uses, ...this.#results]) {
      for (const name of startedBy(block)) callOf.set(name, use);
    }
    const childrenOf = new Map<string, PageSession[]>();
    const others: PageSession[] = [];
    for (const child of this.#session.children) {
      const use = this.#namesOf(child)
        .map((name) => callOf.get(name))
        .find((found) => found !== undefined);
      if (use === undefined || !this.#uses.has(use) || !this.#byUse.has(use)) others.push(child);
      else childrenOf.set(use, [...(childrenOf.get(use) ?? []), child]);
    }
    return { childrenOf, others };
  }

  /** Subagents of Claude Code have an id of their own, and the session's id; those of opencode have a session of their own. */
  #namesOf({ metadata }: PageSession): string[] {
    const own = metadata.sessionId === this.#session.metadata.sessionId ? null : metadata.sessionId;
    return [metadata.agentId, own].filter((name) => name !== null);
  }
}

/** The agents and sessions that a call, or its result, says it started. */
function startedBy({ metadata }: ParsedContentBlock): string[] {
  return [metadata["subagent_session_id"], metadata["subagent_id"]].filter((name) => typeof name === "string");
}

function turnTitle({ message, blocks }: PageEntry): string {
  const { command } = message.metadata;
  if (typeof command === "string") return oneLine(command, MAX_TURN_TITLE_CHARS);
  const text = blocks.find((block) => block.content_text !== null && block.content_text.trim() !== "")?.content_text;
  return oneLine(text ?? "", MAX_TURN_TITLE_CHARS) || "(no text)";
}
