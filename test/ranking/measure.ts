/** Measures how well the ranking answers labelled questions: see README.md. Prints each question when run by itself. */
import { readFileSync } from "node:fs";
import { search, type SearchHit } from "../../src/search/search.ts";
import type { Store } from "../../src/store/store.ts";
import { corpusSessions, LABELLED_KINDS, type SessionFile } from "../support/parse/session-files.ts";
import { openStore } from "../../src/store/open-store.ts";
import { enter } from "../support/search/filled-store.ts";
import { sqlite } from "../support/store/backends.ts";
import { halfRemembered } from "./half-remembered.ts";
import { heldOut } from "./held-out.ts";
import type { RankingLabel } from "./label.ts";
import { tuning } from "./tuning.ts";

/** Hits that are looked at for each question. */
const DEPTH = 50;
/** Fixed, so that figures do not change with the day. */
const NOW = new Date("2026-03-01T00:00:00Z");

export interface RankingFigures {
  questions: number;
  /** Share of the questions whose first hit is right, or one of the first five. */
  hitAt1: number;
  hitAt5: number;
  /** Mean of one divided by the rank of the first right hit; 0 beyond the depth. */
  mrr: number;
}

export interface Answered {
  label: RankingLabel;
  /** From 1; undefined if no hit is right. */
  rank: number | undefined;
  hits: SearchHit[];
}

/** The sets of questions. Only the first two may be looked at while the ranking is worked on. */
export const SETS: readonly (readonly [name: string, labels: readonly RankingLabel[]])[] = [
  ["tuning", tuning],
  [
    "tuning, half-remembered",
    tuning.flatMap(({ halfRemembered: query, ...label }) => (query === undefined ? [] : [{ ...label, query }])),
  ],
  ["held out", heldOut],
  ["half-remembered", halfRemembered],
];

/** A new store with these sessions, each named by its file. */
export async function storeOf(files: readonly SessionFile[]): Promise<Store> {
  const store = await openStore(await sqlite.newPlace());
  for (const { name, path } of files) await enter(store, name, readFileSync(path));
  return store;
}

export async function answers(store: Store, labels: readonly RankingLabel[]): Promise<Answered[]> {
  const answered: Answered[] = [];
  for (const label of labels) {
    const { query, filters: { role, tool, errors } = {} } = label;
    const { hits } = await search(store, {
      term: query,
      limit: DEPTH,
      now: NOW,
      ...(role === undefined ? {} : { role }),
      ...(tool === undefined ? {} : { tool }),
      ...(errors === undefined ? {} : { errorsOnly: errors }),
    });
    const first = hits.findIndex((hit) => isRight(hit, label));
    answered.push({ label, rank: first === -1 ? undefined : first + 1, hits });
  }
  return answered;
}

function isRight({ session_id, line_number }: SearchHit, { answers: right }: RankingLabel): boolean {
  return right.some(({ file, lines: [from, to] }) => file === session_id && line_number >= from && line_number <= to);
}

export function figuresOf(answered: readonly Answered[]): RankingFigures {
  const share = (within: number): number =>
    answered.filter(({ rank }) => rank !== undefined && rank <= within).length / answered.length;
  const mrr = answered.reduce((sum, { rank }) => sum + (rank === undefined ? 0 : 1 / rank), 0) / answered.length;
  return { questions: answered.length, hitAt1: share(1), hitAt5: share(5), mrr };
}

export function shownFigures({ questions, hitAt1, hitAt5, mrr }: RankingFigures): string {
  const percent = (value: number): string => `${(value * 100).toFixed(1)}%`;
  return `${questions} questions, hit@1 ${percent(hitAt1)}, hit@5 ${percent(hitAt5)}, MRR ${mrr.toFixed(3)}`;
}

if (import.meta.main) {
  const files = corpusSessions(...LABELLED_KINDS);
  if (files.length === 0) throw new Error("There is no ../shared/corpus beside the repository.");
  const corpus = await storeOf(files);
  for (const [name, labels] of SETS) {
    const answered = await answers(corpus, labels);
    if (name.startsWith("tuning")) {
      for (const { label, rank } of answered) console.log(`${rank ?? "-"}\t${label.query}`);
    }
    console.log(`${name}: ${shownFigures(figuresOf(answered))}`);
  }
  await corpus.close();
}
