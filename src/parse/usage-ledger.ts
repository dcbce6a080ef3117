/**
 * Tokens and costs over many sessions. Forks, resumed sessions and subagents repeat messages of other files, so each
 * message id is counted once, whatever the order in which the sessions are added.
 */
import { dayIn } from "./local-days.ts";
import { compareUsage } from "./usage-order.ts";

/** What one answer used. Times are ISO 8601, costs US dollars. */
export interface UsageRecord {
  /** The message's id (`message.id`); without one an answer cannot be met again, so it counts wherever it stands. */
  sourceId: string | null;
  model: string | null;
  timestamp: string | null;
  isSidechain: boolean;
  tokensIn: number;
  tokensOut: number;
  cacheRead: number;
  cacheWrite: number;
  /** Null if the model has no known price. */
  costUsd: number | null;
  /** The host recorded a cost of 0, and `costUsd` is what the price table gives. */
  isEstimate: boolean;
  /** The recorded output is only the start of a stream. */
  isLowerBound: boolean;
  /** Of a record without an id that stands for several answers: how many. Default 1. */
  messages?: number;
}

export interface LedgerSession {
  id: string;
  /** What the rows by project are called; null if unknown. */
  project: string | null;
}

export interface UsageTotals {
  messages: number;
  tokens_in: number;
  tokens_out: number;
  cache_read: number;
  cache_write: number;
  /** Sum of the known costs; null if no message has one. */
  cost_usd: number | null;
  /** The sum includes answers for which the host recorded a cost of 0, priced from the table. */
  cost_is_estimate: boolean;
  /** Models with tokens but without a price, in alphabetical order. Their cost is in no sum. */
  unpriced_models: string[];
  tokens_out_is_lower_bound: boolean;
}

/** `key` is the day (`2026-01-31`), project, model or session; null if that is unknown. */
export interface UsageRow extends UsageTotals {
  key: string | null;
}

export interface LedgerTotals {
  total: UsageTotals;
  /** Records that were left out, since their message was counted already. */
  repeated_messages: number;
  /** In ascending order, the unknown last. */
  days: UsageRow[];
  /** The costliest first. */
  projects: UsageRow[];
  models: UsageRow[];
  sessions: UsageRow[];
}

export type RowsBy = "day" | "project" | "model" | "session";

/** One answer, met in one file or in several. */
interface Call {
  /** Where it was met first in time: there it is counted. */
  session: LedgerSession;
  first: UsageRecord;
  /** The copy with the largest output: streams are recorded while they grow. */
  usage: UsageRecord;
}

export class UsageLedger {
  readonly #timeZone: string;
  readonly #byId = new Map<string, Call>();
  readonly #withoutId: Call[] = [];
  #repeated = 0;

  /** Days are those of this IANA zone: `Europe/Berlin`, `UTC`. Throws a `RangeError` if there is no such zone. */
  constructor(timeZone: string) {
    this.#timeZone = timeZone;
    dayIn(timeZone, 0);
  }

  add(session: LedgerSession, records: Iterable<UsageRecord>): void {
    for (const record of records) {
      const { sourceId } = record;
      const call = sourceId === null ? undefined : this.#byId.get(sourceId);
      if (call) this.#merge(call, session, record);
      else if (sourceId === null) this.#withoutId.push({ session, first: record, usage: record });
      else this.#byId.set(sourceId, { session, first: record, usage: record });
    }
  }

  /** The sum over all of them, which is also `total` of `totals`. */
  total(): UsageTotals {
    const total = new Sum();
    for (const { usage } of this.#calls()) total.add(usage);
    return total.totals();
  }

  /** How many records were left out, since their message was counted already. */
  get repeated(): number {
    return this.#repeated;
  }

  /** One of the lists of `totals`, in its order. */
  rows(by: RowsBy): UsageRow[] {
    const sums = new Sums();
    for (const call of this.#calls()) sums.of(this.#keyOf(call, by)).add(call.usage);
    return sums.rows(by === "day" ? byKey : byCost);
  }

  totals(): LedgerTotals {
    return {
      total: this.total(),
      repeated_messages: this.#repeated,
      days: this.rows("day"),
      projects: this.rows("project"),
      models: this.rows("model"),
      sessions: this.rows("session"),
    };
  }

  #keyOf({ session, first, usage }: Call, by: RowsBy): string | null {
    if (by === "project") return session.project;
    if (by === "session") return session.id;
    if (by === "model") return usage.model;
    const ms = Date.parse(first.timestamp ?? "");
    return Number.isNaN(ms) ? null : dayIn(this.#timeZone, ms);
  }

  *#calls(): Generator<Call> {
    yield* this.#byId.values();
    yield* this.#withoutId;
  }

  #merge(call: Call, session: LedgerSession, record: UsageRecord): void {
    this.#repeated += 1;
    if (comesBefore(record, session, call)) {
      call.session = session;
      call.first = record;
    }
    if (isFuller(record, call.usage)) call.usage = record;
  }
}

/** Copies keep the time of the original: then the main session owns it, not its subagent, else the smaller id. */
function comesBefore(record: UsageRecord, session: LedgerSession, { first, session: owner }: Call): boolean {
  const order = compareTimes(record.timestamp, first.timestamp);
  if (order !== 0) return order < 0;
  if (record.isSidechain !== first.isSidechain) return first.isSidechain;
  return session.id < owner.id;
}

function compareTimes(a: string | null, b: string | null): number {
  const first = Date.parse(a ?? "");
  const second = Date.parse(b ?? "");
  if (Number.isNaN(first) || Number.isNaN(second)) return Number(Number.isNaN(first)) - Number(Number.isNaN(second));
  return first - second;
}

function isFuller(record: UsageRecord, than: UsageRecord): boolean {
  const difference = compareUsage(record, than);
  if (difference !== 0) return difference > 0;
  if (record.model !== than.model) return (record.model ?? "") > (than.model ?? "");
  if (record.isEstimate !== than.isEstimate) return than.isEstimate;
  return than.isLowerBound && !record.isLowerBound;
}

class Sum {
  #messages = 0;
  #in = 0;
  #out = 0;
  #read = 0;
  #write = 0;
  #cost: number | null = null;
  #isEstimate = false;
  #isLowerBound = false;
  readonly #unpriced = new Set<string>();

  add(usage: UsageRecord): void {
    this.#messages += usage.messages ?? 1;
    this.#in += usage.tokensIn;
    this.#out += usage.tokensOut;
    this.#read += usage.cacheRead;
    this.#write += usage.cacheWrite;
    this.#isEstimate ||= usage.isEstimate;
    this.#isLowerBound ||= usage.isLowerBound;
    if (usage.costUsd !== null) this.#cost = (this.#cost ?? 0) + usage.costUsd;
    else if (usage.tokensIn + usage.tokensOut + usage.cacheRead + usage.cacheWrite > 0)
      this.#unpriced.add(usage.model ?? "unknown");
  }

  totals(): UsageTotals {
    return {
      messages: this.#messages,
      tokens_in: this.#in,
      tokens_out: this.#out,
      cache_read: this.#read,
      cache_write: this.#write,
      cost_usd: this.#cost,
      cost_is_estimate: this.#isEstimate,
      unpriced_models: [...this.#unpriced].sort(),
      tokens_out_is_lower_bound: this.#isLowerBound,
    };
  }
}

class Sums {
  readonly #byKey = new Map<string | null, Sum>();

  of(key: string | null): Sum {
    let sum = this.#byKey.get(key);
    if (!sum) this.#byKey.set(key, (sum = new Sum()));
    return sum;
  }

  rows(order: (a: UsageRow, b: UsageRow) => number): UsageRow[] {
    return [...this.#byKey].map(([key, sum]) => ({ key, ...sum.totals() })).sort(order);
  }
}

function byKey(a: UsageRow, b: UsageRow): number {
  if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
  return a.key < b.key ? -1 : Number(a.key > b.key);
}

function byCost(a: UsageRow, b: UsageRow): number {
  return (b.cost_usd ?? 0) - (a.cost_usd ?? 0) || b.tokens_out - a.tokens_out || byKey(a, b);
}
