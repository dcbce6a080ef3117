/**
 * What comes first. A score is the product of a few factors, each of which says one thing about an entry. All numbers
 * that rank are in this file; they were chosen on the tuning part of `test/ranking` and are shown on the other part.
 */
import type { Candidate } from "../store/store.ts";
import type { Match as WholeMatch } from "./matching-texts.ts";

type Match = Omit<WholeMatch, "text" | "places">;

/** What an entry is worth for each of its qualities. All but `asked` and `recency` are at most 1. */
export interface Factors {
  /** Whose words they are. */
  voice: number;
  /** Whether the term is a word of its own there. */
  wholeness: number;
  /** How much of the entry is about it. */
  density: number;
  /** How close together the words are. */
  closeness: number;
  /** How many of the words it has, rare ones before common ones. */
  coverage: number;
  /** Whether it says something, or only what is about to be done. */
  substance: number;
  /** A failure, where failures are asked for. */
  asked: number;
  /** Newer before older, where all else is equal. */
  recency: number;
}

/** What people and agents said is what somebody looks for who recalls; what a tool printed may stand anywhere. */
const VOICES = {
  /** It says what the whole session is about. */
  title: 1,
  /** Questions have the words too; what answers them is looked for more often. */
  user: 0.8,
  assistant: 1,
  /** A compaction: much of it is about other things. */
  summary: 0.8,
  thinking: 0.75,
  call: 0.6,
  failure: 0.65,
  result: 0.4,
  /** Reminders, command output and instructions that a program put there. */
  system: 0.35,
};

/** Of a place within a word at 0.25 (see `wholeness`): half as good as one of its own. */
const WHOLENESS_FLOOR = 1 / 3;

/** Characters of an entry in which one match is neither much nor little: a paragraph. */
export const USUAL_CHARACTERS = 400;
/** How much a long entry counts against one that is as long as usual, as in BM25. */
const LENGTH_SHARE = 0.5;
const SATURATION = 1.2;
/** A long entry with one match still is a find. */
const DENSITY_FLOOR = 0.25;

/** Characters between words that belong to one sentence. */
const SENTENCE_CHARACTERS = 120;
const CLOSENESS_FLOOR = 0.5;

/** "Let me look at the tests:" has the term, and nothing to recall. */
const ANNOUNCEMENT = 0.6;

const ASKED = 1.6;
/** The newest entry is worth this much more than the oldest. */
const RECENCY = 0.15;
const RECENT_MS = 30 * 24 * 60 * 60 * 1_000;

/** Each further entry of one session counts so much of the one before, so that other sessions are seen as well. */
const NEXT_OF_SESSION = 0.85;
/** After so many it may as well be this session. */
const MOST_STEPS = 4;
/** The same words at the same time: a session that was forked, or continued in another file. */
const REPEATED = 0.3;

const FAILURE =
  /\b(?:errors?|fail(?:s|ed|ing|ures?)?|exceptions?|crash(?:e[sd]|ing)?|denied|refused|cannot|panic)\b|\bE[A-Z]{3,}\b|\w(?:Error|Exception)\b/;

/** What of an entry counts, besides its text. */
export type Rankable = Pick<Candidate, "message_type" | "role" | "status" | "occurred_at"> & {
  block_type: Candidate["block_type"] | "title";
};

export interface Ranked {
  factors: Factors;
  score: number;
}

export class Ranking {
  readonly #asksForFailures: boolean;
  readonly #nowMs: number;

  constructor(term: string, now: Date) {
    this.#asksForFailures = FAILURE.test(term);
    this.#nowMs = now.getTime();
  }

  /** `weights`: for each word how much it tells; they add up to 1. */
  rank(event: Rankable, size: number, match: Match, weights: readonly number[]): Ranked {
    const factors: Factors = {
      voice: VOICES[voiceOf(event)],
      wholeness: wholenessOf(match, weights),
      density: densityOf(match, size),
      closeness: CLOSENESS_FLOOR + (1 - CLOSENESS_FLOOR) / (1 + match.span / SENTENCE_CHARACTERS),
      coverage: coverageOf(match, weights),
      substance: match.announces && event.role === "assistant" ? ANNOUNCEMENT : 1,
      asked: this.#asksForFailures && event.status === "error" ? ASKED : 1,
      recency: 1 + RECENCY * 2 ** (-this.#ageMs(event) / RECENT_MS),
    };
    return { factors, score: Object.values(factors).reduce((product, factor: number) => product * factor, 1) };
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

function densityOf({ count }: Match, size: number): number {
  // What is shorter than usual is not about less.
  const length = 1 - LENGTH_SHARE + (LENGTH_SHARE * Math.max(size, USUAL_CHARACTERS)) / USUAL_CHARACTERS;
  return DENSITY_FLOOR + ((1 - DENSITY_FLOOR) * count) / (count + SATURATION * length);
}

function coverageOf({ counts }: Match, weights: readonly number[]): number {
  const had = counts.reduce((sum, count, at) => sum + (count > 0 ? (weights[at] ?? 0) : 0), 0);
  // Twice as much of the question is worth four times as much.
  return had ** 2;
}

/** How much each word tells: those that few of the entries have tell most. They add up to 1. */
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
  /** What tells it from copies of it, with the time. */
  likeness: string;
  score: number;
}

/** The entries with the scores by which they are shown, best first: each session and each text once before the next. */
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

/** Below zero if the first comes before the second. No two entries are equal. */
export function better(a: Orderable, b: Orderable): number {
  if (a.score !== b.score) return b.score - a.score;
  const [timeA, timeB] = [a.occurred_at ?? "", b.occurred_at ?? ""];
  if (timeA !== timeB) return timeA < timeB ? 1 : -1;
  return a.event_id < b.event_id ? -1 : Number(a.event_id !== b.event_id);
}
