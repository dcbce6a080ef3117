/** What the answers of a session used, in a form that adds up quickly over many sessions. */
import { Digest } from "../parse/digest.ts";
import type { UsageRecord } from "../parse/usage-ledger.ts";

export interface SessionUsage {
  /** Two hashes of each message id, by which sessions that share answers are told: see `sharing`. */
  ids: Int32Array;
  /** The records added up, without ids: all that counts of a session that shares none. */
  sums: readonly UsageRecord[];
  /** The records themselves: see `recordsIn`. */
  records: Uint8Array;
}

/** Every time zone changes its day on a quarter of an hour. */
const QUARTER_MS = 15 * 60 * 1000;

export function sessionUsage(records: readonly UsageRecord[]): SessionUsage {
  const ids = records.flatMap(({ sourceId }) => (sourceId === null ? [] : [sourceId]));
  return {
    ids: hashesOf(ids),
    sums: addedUp(records),
    records: new TextEncoder().encode(JSON.stringify(records.map(cells))),
  };
}

/** By quarter of an hour and model: what days, projects, models and sessions are added up from. */
function addedUp(records: readonly UsageRecord[]): UsageRecord[] {
  const sums = new Map<string, UsageRecord & { messages: number }>();
  for (const record of records) {
    const quarter = Math.floor(Date.parse(record.timestamp ?? "") / QUARTER_MS);
    const key = `${quarter} ${record.costUsd === null} ${record.model === null ? "" : `:${record.model}`}`;
    const sum = sums.get(key);
    if (sum) addTo(sum, record);
    else sums.set(key, { ...record, sourceId: null, messages: 1 });
  }
  return [...sums.values()];
}

function addTo(sum: UsageRecord & { messages: number }, record: UsageRecord): void {
  sum.messages += 1;
  sum.tokensIn += record.tokensIn;
  sum.tokensOut += record.tokensOut;
  sum.cacheRead += record.cacheRead;
  sum.cacheWrite += record.cacheWrite;
  sum.isEstimate ||= record.isEstimate;
  sum.isLowerBound ||= record.isLowerBound;
  if (record.costUsd !== null) sum.costUsd = (sum.costUsd ?? 0) + record.costUsd;
}

function hashesOf(ids: readonly string[]): Int32Array {
  const hashes = new Int32Array(ids.length * 2);
  const digest = new Digest();
  for (const [at, id] of ids.entries()) {
    digest.begin(0).text(id);
    hashes[at * 2] = digest.first;
    hashes[at * 2 + 1] = digest.second;
  }
  return hashes;
}

export type Cells = [
  sourceId: string | null,
  model: string | null,
  timestamp: string | null,
  isSidechain: boolean,
  tokensIn: number,
  tokensOut: number,
  cacheRead: number,
  cacheWrite: number,
  costUsd: number | null,
  isLowerBound: boolean,
  isEstimate: boolean,
  messages?: number,
];

/** In the least that JSON takes, of which thousands are read in a moment: see `recordsOf`. */
export function cells(record: UsageRecord): Cells {
  const { sourceId, model, timestamp, isSidechain, tokensIn, tokensOut, cacheRead, cacheWrite, costUsd } = record;
  const counts = [tokensIn, tokensOut, cacheRead, cacheWrite, costUsd, record.isLowerBound, record.isEstimate] as const;
  const { messages } = record;
  return messages === undefined
    ? [sourceId, model, timestamp, isSidechain, ...counts]
    : [sourceId, model, timestamp, isSidechain, ...counts, messages];
}

/** The records that a session's usage was made of. */
export function recordsIn({ records }: SessionUsage): UsageRecord[] {
  return recordsOf(JSON.parse(new TextDecoder().decode(records)));
}

export function recordsOf(rows: readonly Cells[]): UsageRecord[] {
  return rows.map((row) => {
    const [sourceId, model, timestamp, isSidechain, tokensIn, tokensOut, cacheRead, cacheWrite, costUsd] = row;
    const [, , , , , , , , , isLowerBound, isEstimate, messages] = row;
    const counts = { tokensIn, tokensOut, cacheRead, cacheWrite, costUsd, isLowerBound, isEstimate };
    return { sourceId, model, timestamp, isSidechain, ...counts, ...(messages === undefined ? {} : { messages }) };
  });
}

/**
 * Those that have a message id which another one of them has too. Once in a long while, two ids that are taken for the
 * same: that costs time and is no error, since records are compared by the ids themselves.
 */
export function sharing(usages: readonly SessionUsage[]): Set<SessionUsage> {
  const shared = new Set<SessionUsage>();
  const owners = new Owners(usages.reduce((sum, { ids }) => sum + ids.length / 2, 0));
  for (const [index, usage] of usages.entries()) {
    for (let at = 0; at < usage.ids.length; at += 2) {
      const other = owners.claim(usage.ids[at] ?? 0, usage.ids[at + 1] ?? 0, index);
      const owner = usages[other];
      if (other === index || !owner) continue;
      shared.add(owner).add(usage);
    }
  }
  return shared;
}

/** Whose a pair of hashes is: in open addressing, three numbers a slot. */
class Owners {
  readonly #slots: Int32Array;
  readonly #mask: number;

  constructor(pairs: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(pairs, 1) * 2));
    this.#slots = new Int32Array(size * 3);
    this.#mask = size - 1;
  }

  /** Who had it first: `owner` itself if nobody. */
  claim(first: number, second: number, owner: number): number {
    const slots = this.#slots;
    for (let slot = first & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * 3;
      const known = slots[at + 2] ?? 0;
      if (known !== 0 && (slots[at] !== first || slots[at + 1] !== second)) continue;
      if (known !== 0) return known - 1;
      slots[at] = first;
      slots[at + 1] = second;
      slots[at + 2] = owner + 1;
      return owner;
    }
  }
}
