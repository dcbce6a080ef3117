/**
 * Adds up tokens and costs of many sessions. Forks, resumed sessions and subagents repeat messages of other files, so each
 * answer is counted once, in any order of adding sessions. Its records share a key.
 */
import type { ToolStatus, TranscriptMessage } from "./model.ts";
import { withoutContextSize } from "./pricing.ts";
import { inUtc } from "./times.ts";

/** Usage of one answer. Times are ISO 8601, costs US dollars. */
export interface UsageRecord {
  /** See `copyKey`. An answer without one is always counted, as repeats cannot be recognized. */
  key: string | null;
  model: string | null;
  timestamp: string | null;
  isSidechain: boolean;
  tokensIn: number;
  tokensOut: number;
  cacheRead: number;
  cacheWrite: number;
  /** Null if the model has no known price. */
  costUsd: number | null;
  /** The host recorded a cost of 0, and `costUsd` is from the price table. */
  isEstimate: boolean;
  /** Only part of the tokens was recorded. */
  isLowerBound: boolean;
  /** The source has no usage of the answer, so a ledger leaves it out. */
  isWithoutUsage: boolean;
  /** Calls of the answer, which its copies have too. Left out if it has none. */
  calls?: readonly CallCount[];
  /** See `answerMessages`. Its copies have as many. */
  messages?: number;
}

/** Calls of one tool that ended in one way. */
export interface CallCount {
  tool: string;
  status: ToolStatus;
  count: number;
}

/** Fields of an assistant message that its usage is in. */
export type Answer = Pick<
  TranscriptMessage,
  | ("source_id" | "request_id" | "model" | "timestamp" | "is_sidechain" | "metadata")
  | ("tokens_in" | "tokens_out" | "cache_read" | "cache_write" | "cost_usd")
>;

/** Returns whether the source has any usage of the message. */
export function hasUsage({ tokens_in, cost_usd }: Answer): boolean {
  return tokens_in !== null || cost_usd !== null;
}

export function usageOf(answer: Answer): UsageRecord {
  return {
    key: copyKey(answer),
    model: answer.model === null ? null : withoutContextSize(answer.model),
    timestamp: answer.timestamp,
    isSidechain: answer.is_sidechain,
    tokensIn: answer.tokens_in ?? 0,
    tokensOut: answer.tokens_out ?? 0,
    cacheRead: answer.cache_read ?? 0,
    cacheWrite: answer.cache_write ?? 0,
    costUsd: answer.cost_usd,
    isEstimate: answer.metadata.cost_is_estimate === true,
    isLowerBound: answer.metadata.tokens_out_is_lower_bound === true,
    isWithoutUsage: !hasUsage(answer),
  };
}

/** Returns the key that an answer shares with its copies in other files. */
export function copyKey({
  source_id: id,
  request_id: request,
  metadata,
}: Pick<Answer, "source_id" | "request_id" | "metadata">): string | null {
  if (id === null) return null;
  return request === null ? (metadata.copy_key ?? id) : `${id}\n${request}`;
}

/** Returns a key for an answer whose id may be that of others too. */
export function keyByTime(id: string, timestamp: string | null): string {
  return `${id}\n${inUtc(timestamp) ?? ""}`;
}

export interface LedgerSession {
  id: string;
  /** Project, for the rows by project; null if unknown. */
  project: string | null;
  /** Agent, for the rows by agent; null if unknown. */
  agent?: string | null;
  /** Forks may have its answers under new ids: see `Agent.forksChangeIds`. */
  forksChangeIds?: boolean;
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
  /** Models with tokens but without a known price, in alphabetical order. Their cost is in no sum. */
  unpriced_models: string[];
  tokens_out_is_lower_bound: boolean;
}

/** `key`: day (`2026-01-31`), Monday of the week, month (`2026-01`), project, model, agent or session; null if unknown. */
export interface UsageRow extends UsageTotals {
  key: string | null;
}

export const ROWS_BY = ["day", "week", "month", "project", "model", "agent", "session"] as const;
export type RowsBy = (typeof ROWS_BY)[number];

const PERIODS: ReadonlySet<RowsBy> = new Set(["day", "week", "month"]);

/** Name for answers without a model. */
export const NO_MODEL = "unknown";

/** Answer found in one file or several. */
interface Call {
  /** Its earliest record, where it is counted. */
  session: LedgerSession;
  first: UsageRecord;
  /** Copy with the largest output, since streams are recorded while they grow. */
  usage: UsageRecord;
}

export class UsageLedger {
  readonly #timeZone: string;
  readonly #byKey = new Map<string, Call>();
  readonly #withoutKey: Call[] = [];
  /** Records left out because another session has the same answer. */
  readonly #repeated: UsageRecord[] = [];
  /** Sessions with copies of one answer: forks, branches, asides. */
  readonly #pairs: [string, string][] = [];
  /** Found once for all sums; undefined after records were added. */
  #knownForkCopies: Map<Call, string> | undefined;

  /** IANA time zone for days: `Europe/Berlin`, `UTC`. Throws a `RangeError` for an unknown zone. */
  constructor(timeZone: string) {
    this.#timeZone = timeZone;
    dayIn(timeZone, 0);
  }

  add(session: LedgerSession, records: Iterable<UsageRecord>): void {
    this.#knownForkCopies = undefined;
    for (const record of records) {
      const { key } = record;
      if (record.isWithoutUsage) continue;
      const call = key === null ? undefined : this.#byKey.get(key);
      if (call) this.#merge(call, session, record);
      else if (key === null) this.#withoutKey.push({ session, first: record, usage: record });
      else this.#byKey.set(key, { session, first: record, usage: record });
    }
  }

  /** Returns the sum over all records. */
  total(): UsageTotals {
    const total = new UsageSum();
    for (const { usage } of this.#calls()) total.add(usage);
    return total.totals();
  }

  /** Returns the records left out because their message was already counted. */
  get copies(): UsageRecord[] {
    return [...this.#repeated, ...[...this.#forkCopies().keys()].map(({ first }) => first)];
  }

  /** Returns a name for each session that shares answers with others, the same for all of these. */
  families(): Map<string, string> {
    const names = new Map<string, string>();
    const nameOf = (id: string): string => {
      const name = names.get(id);
      return name === undefined || name === id ? id : nameOf(name);
    };
    const forks = [...this.#forkCopies()].map(([{ session }, original]): [string, string] => [session.id, original]);
    for (const [one, other] of [...this.#pairs, ...forks]) {
      names.set(nameOf(other), nameOf(one));
      names.set(nameOf(one), nameOf(one));
    }
    return new Map([...this.#pairs, ...forks].flat().map((id) => [id, nameOf(id)]));
  }

  /** Returns the sums by a key: days, weeks and months in ascending order, unknown ones last; others with the highest cost first. */
  rows(by: RowsBy): UsageRow[] {
    const sums = new Sums();
    for (const call of this.#calls()) sums.of(this.#keyOf(call, by)).add(call.usage);
    return sums.rows(PERIODS.has(by) ? byKey : byCost);
  }

  #keyOf({ session, first, usage }: Call, by: RowsBy): string | null {
    if (by === "project") return session.project;
    if (by === "session") return session.id;
    if (by === "agent") return session.agent ?? null;
    if (by === "model") return usage.model;
    const ms = Date.parse(first.timestamp ?? "");
    if (Number.isNaN(ms)) return null;
    const day = dayIn(this.#timeZone, ms);
    return by === "month" ? day.slice(0, 7) : by === "week" ? mondayOf(day) : day;
  }

  *#calls(): Generator<Call> {
    const copies = this.#forkCopies();
    for (const call of this.#byKey.values()) if (!copies.has(call)) yield call;
    yield* this.#withoutKey;
  }

  /** Returns the answers that forks have under new ids, with the session that had them first. The ids of copies are newer. */
  #forkCopies(): Map<Call, string> {
    this.#knownForkCopies ??= this.#findForkCopies();
    return this.#knownForkCopies;
  }

  #findForkCopies(): Map<Call, string> {
    const copies = new Map<Call, string>();
    const mayBeCopies = [...this.#byKey.values()].filter(({ session }) => session.forksChangeIds === true);
    const byKey = Map.groupBy(mayBeCopies, ({ session, first, usage }) => forkKey(session, usage, first.timestamp));
    byKey.delete(undefined);
    for (const alike of byKey.values()) {
      if (alike.length === 1) continue;
      const original = alike.reduce((first, call) => (idOf(call) < idOf(first) ? call : first));
      for (const call of alike) if (call.session.id !== original.session.id) copies.set(call, original.session.id);
    }
    return copies;
  }

  #merge(call: Call, session: LedgerSession, record: UsageRecord): void {
    // Two files may have one id, as after a session was copied to another folder.
    if (session !== call.session) this.#pairs.push([session.id, call.session.id]);
    const isFirst = comesBefore(record, session, call);
    this.#repeated.push(isFirst ? call.first : record);
    if (isFirst) {
      call.session = session;
      call.first = record;
    }
    const more = record.tokensOut - call.usage.tokensOut;
    if (more > 0 || (more === 0 && call.usage.isLowerBound)) call.usage = record;
  }
}

/**
 * Returns a key that a call shares with its copies in forks, branches and asides; null if its answer cannot be
 * identified.
 */
export function callKey(
  session: Pick<LedgerSession, "agent" | "forksChangeIds">,
  answer: Answer,
  toolUseId: string | null,
): string | null {
  const usage = usageOf(answer);
  const key = forkKey(session, usage, inUtc(answer.timestamp)) ?? usage.key;
  return key === null ? null : JSON.stringify([session.agent, key, toolUseId]);
}

/**
 * Returns all that a fork keeps of an answer that it has under a new id, with nothing that says of which answer it is a
 * copy. No two answers begin in the same millisecond with the same model and use the same tokens.
 */
function forkKey(
  { agent, forksChangeIds = false }: Pick<LedgerSession, "agent" | "forksChangeIds">,
  usage: UsageRecord,
  timestamp: string | null,
): string | undefined {
  if (!forksChangeIds) return undefined;
  const { model, tokensIn, tokensOut, cacheRead, cacheWrite } = usage;
  if (timestamp === null || tokensIn + tokensOut + cacheRead + cacheWrite === 0) return undefined;
  return JSON.stringify([agent, timestamp, model, tokensIn, tokensOut, cacheRead, cacheWrite]);
}

const idOf = ({ first }: Call): string => first.key ?? "";

/** For copies with the same time, prefers the main session to its subagent, else the smaller id. */
function comesBefore(record: UsageRecord, session: LedgerSession, { first, session: owner }: Call): boolean {
  const order = compareTimes(record.timestamp, first.timestamp);
  if (order !== 0) return order < 0;
  if (record.isSidechain !== first.isSidechain) return first.isSidechain;
  return session.id < owner.id;
}

function compareTimes(a: string | null, b: string | null): number {
  if (a === b) return 0;
  const first = Date.parse(a ?? "");
  const second = Date.parse(b ?? "");
  if (Number.isNaN(first) || Number.isNaN(second)) return Number(Number.isNaN(first)) - Number(Number.isNaN(second));
  return first - second;
}

/** Adds up answers, each as often as it is given. */
export class UsageSum {
  #messages = 0;
  #in = 0;
  #out = 0;
  #read = 0;
  #write = 0;
  #cost = 0;
  #costs = 0;
  #estimates = 0;
  #lowerBounds = 0;
  /** Models without a price. */
  readonly #unpriced = new Set<string>();

  add(usage: Omit<UsageRecord, "key" | "timestamp" | "isSidechain" | "isWithoutUsage" | "calls" | "messages">): void {
    this.#messages += 1;
    this.#in += usage.tokensIn;
    this.#out += usage.tokensOut;
    this.#read += usage.cacheRead;
    this.#write += usage.cacheWrite;
    if (usage.isLowerBound) this.#lowerBounds += 1;
    if (usage.costUsd !== null) {
      this.#costs += 1;
      this.#cost += usage.costUsd;
      if (usage.isEstimate) this.#estimates += 1;
    } else if (usage.tokensIn + usage.tokensOut + usage.cacheRead + usage.cacheWrite > 0) {
      this.#unpriced.add(usage.model ?? NO_MODEL);
    }
  }

  totals(): UsageTotals {
    return {
      messages: this.#messages,
      tokens_in: this.#in,
      tokens_out: this.#out,
      tokens_out_is_lower_bound: this.#lowerBounds > 0,
      cache_read: this.#read,
      cache_write: this.#write,
      cost_usd: this.#costs > 0 ? this.#cost : null,
      cost_is_estimate: this.#estimates > 0,
      unpriced_models: [...this.#unpriced].sort(),
    };
  }
}

class Sums {
  readonly #byKey = new Map<string | null, UsageSum>();

  of(key: string | null): UsageSum {
    let sum = this.#byKey.get(key);
    if (!sum) this.#byKey.set(key, (sum = new UsageSum()));
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

// Calendar days in a time zone.

/** In all zones in use, days and offsets change at quarter hours. */
const QUARTER_MS = 15 * 60 * 1000;

const zones = new Map<string, { format: Intl.DateTimeFormat; days: Map<number, string> }>();

/** Returns the day, as `2026-01-31`, of a time in milliseconds. Throws a `RangeError` for an unknown zone. */
export function dayIn(timeZone: string, ms: number): string {
  let zone = zones.get(timeZone);
  if (!zone) {
    const options = { timeZone, calendar: "iso8601", year: "numeric", month: "2-digit", day: "2-digit" } as const;
    zone = { format: new Intl.DateTimeFormat("en-CA", options), days: new Map() };
    zones.set(timeZone, zone);
  }
  const quarter = Math.floor(ms / QUARTER_MS);
  let day = zone.days.get(quarter);
  if (day === undefined) {
    const parts = new Map(zone.format.formatToParts(ms).map(({ type, value }) => [type, value]));
    day = `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
    zone.days.set(quarter, day);
  }
  return day;
}

/** Returns the first day of the week of a day. */
function mondayOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}
