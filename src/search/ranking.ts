/**
 * Ranks entries. A score is the product of a few factors, each for one quality of an entry. All ranking constants are
 * in this file; they were tuned on one part of `test/ranking` and are evaluated on the other.
 */
import type { Candidate } from "../store/store.ts";
import type { Match as WholeMatch } from "./matching-texts.ts";

type Match = Omit<WholeMatch, "text" | "places">;

/** People who recall a session look for what was said; tool output may contain anything. */
const VOICES = {
  /** Describes the whole session. */
  title: 1,
  /** Below `assistant`: questions contain the words too, but readers look for the answers. */
  user: 0.8,
  assistant: 1,
  /** Much of a compaction summary is about other things. */
  summary: 0.8,
  thinking: 0.75,
  call: 0.6,
  failure: 0.65,
  result: 0.4,
  /** Reminders, command output and instructions added by a program. */
  system: 0.35,
};

/** A match within a word, with a wholeness of 0.25, is worth half of a whole word. */
const WHOLENESS_FLOOR = 1 / 3;

/** Length of a typical entry: a paragraph. */
const USUAL_CHARACTERS = 400;
/** Penalty for entries longer than typical, as in BM25. */
const LENGTH_SHARE = 0.5;
const SATURATION = 1.2;
/** A long entry with one match still counts. */
const DENSITY_FLOOR = 0.25;

/** Maximum distance of words in one sentence, in characters. */
const SENTENCE_CHARACTERS = 120;
const CLOSENESS_FLOOR = 0.3;
/** Worth of a word that is in the entry, but not in the part with the most of them. */
const FAR = 0.35;
/** A passage with twice as much of the query is worth this power of two. */
const COVERAGE_POWER = 2;

/** "Let me look at the tests:" contains the term but nothing worth recalling. */
const ANNOUNCEMENT = 0.6;

const ASKED = 1.6;
/** Maximum bonus of the newest entry over the oldest. */
const RECENCY = 0.15;
const RECENT_MS = 30 * 24 * 60 * 60 * 1_000;

/** Factor for each further entry of a session, so that other sessions appear too. */
const NEXT_OF_SESSION = 0.85;
/** Maximum number of such steps. */
const MOST_STEPS = 4;
/** Factor for a copy (same words, same time), as in a forked session or one continued in another file. */
const REPEATED = 0.3;

const FAILURE =
  /\b(?:errors?|fail(?:s|ed|ing|ures?)?|exceptions?|crash(?:e[sd]|ing)?|denied|refused|cannot|panic)\b|\bE[A-Z]{3,}\b|\w(?:Error|Exception)\b/;

/** Fields that rank an entry, besides its text. */
export type Rankable = Pick<Candidate, "message_type" | "role" | "status" | "occurred_at"> & {
  block_type: Candidate["block_type"] | "title";
};

export class Ranking {
  readonly #asksForFailures: boolean;
  readonly #nowMs: number;

  constructor(term: string, now: Date) {
    this.#asksForFailures = FAILURE.test(term);
    this.#nowMs = now.getTime();
  }

  /** Returns the score of an entry. `weights` has the weight of each word; they add up to 1. */
  score(event: Rankable, size: number, match: Match, weights: readonly number[]): number {
    // Who or what produced the text.
    const voice = VOICES[voiceOf(event)];
    const closeness = CLOSENESS_FLOOR + (1 - CLOSENESS_FLOOR) / (1 + match.span / SENTENCE_CHARACTERS);
    const substance = match.announces && event.role === "assistant" ? ANNOUNCEMENT : 1;
    const asked = this.#asksForFailures && event.status === "error" ? ASKED : 1;
    // Puts newer entries first if all else is equal.
    const recency = 1 + RECENCY * 2 ** (-this.#ageMs(event) / RECENT_MS);
    return (
      voice *
      wholenessOf(match, weights) *
      densityOf(match, size) *
      closeness *
      coverageOf(match, weights) *
      substance *
      asked *
      recency
    );
  }

  #ageMs({ occurred_at }: { occurred_at: string | null }): number {
    return occurred_at === null ? Infinity : Math.max(0, this.#nowMs - Date.parse(occurred_at));
  }
}

function voiceOf(event: Rankable): keyof typeof VOICES {
  if (event.block_type === "title") return "title";
  if (event.message_type === "summary") return "summary";
  if (event.block_type === "tool_use") return "call";
  if (event.block_type === "tool_result") return event.status === "error" ? "failure" : "result";
  if (event.block_type === "thinking") return "thinking";
  return event.role === "tool" ? "result" : event.role;
}

function wholenessOf({ counts, wholeness }: Match, weights: readonly number[]): number {
  let sum = 0;
  let of = 0;
  for (const [at, count] of counts.entries()) {
    if (count === 0) continue;
    sum += (wholeness[at] ?? 0) * (weights[at] ?? 0);
    of += weights[at] ?? 0;
  }
  return WHOLENESS_FLOOR + (1 - WHOLENESS_FLOOR) * (of === 0 ? 0 : sum / of);
}

function densityOf({ count: all, near }: Match, size: number): number {
  // Several words that are often in a long output say little.
  const count = near.length === 1 ? all : near.filter(Boolean).length;
  // A short entry gets no bonus for its length.
  const length = 1 - LENGTH_SHARE + (LENGTH_SHARE * Math.max(size, USUAL_CHARACTERS)) / USUAL_CHARACTERS;
  return DENSITY_FLOOR + ((1 - DENSITY_FLOOR) * count) / (count + SATURATION * length);
}

function coverageOf({ counts, near }: Match, weights: readonly number[]): number {
  const worth = (at: number): number => (near[at] === true ? 1 : FAR) * (weights[at] ?? 0);
  return counts.reduce((sum, count, at) => sum + (count > 0 ? worth(at) : 0), 0) ** COVERAGE_POWER;
}

/** Returns the weight of each word: the rarer, the higher. They add up to 1. */
export function weightsOf(counts: readonly (readonly number[])[], words: number): number[] {
  const rarity = Array.from({ length: words }, (_, at) => {
    const having = counts.filter((each) => (each[at] ?? 0) > 0).length;
    return Math.log(1 + (counts.length + 1) / (having + 0.5));
  });
  const sum = rarity.reduce((total, each) => total + each, 0);
  return rarity.map((each) => each / sum);
}

export interface Orderable {
  event_id: string;
  session_id: string;
  occurred_at: string | null;
  /** Identifies copies of the entry, together with the time. */
  likeness: string;
  score: number;
}

/**
 * Returns the entries with their final scores, best first; repeated texts and further entries of a session are ranked
 * lower.
 */
export function inOrder<T extends Orderable>(found: readonly T[]): T[] {
  const sessions = new Map<string, number>();
  const copies = new Map<string, number>();
  const seen = (counts: Map<string, number>, key: string): number => {
    const before = counts.get(key) ?? 0;
    counts.set(key, before + 1);
    return before;
  };
  const shown = found.toSorted(better).map((each) => {
    const copy = seen(copies, `${each.occurred_at} ${each.likeness}`);
    const next = seen(sessions, each.session_id);
    return {
      ...each,
      score: each.score * REPEATED ** Math.min(copy, 1) * NEXT_OF_SESSION ** Math.min(next, MOST_STEPS),
    };
  });
  return shown.toSorted(better);
}

/** Compares two entries: negative if the first comes first. Never returns 0 for two different entries. */
function better(a: Orderable, b: Orderable): number {
  if (a.score !== b.score) return b.score - a.score;
  const [timeA, timeB] = [a.occurred_at ?? "", b.occurred_at ?? ""];
  if (timeA !== timeB) return timeA < timeB ? 1 : -1;
  return a.event_id < b.event_id ? -1 : Number(a.event_id !== b.event_id);
}
