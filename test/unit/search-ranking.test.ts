/** Scores of the ranking on labelled questions: see test/ranking. */
import assert from "node:assert/strict";
import { answers, storeOf, figuresOf, SETS, shownFigures, type RankingFigures } from "../ranking/measure.ts";
import { CORPUS, corpusSessions, LABELLED_KINDS } from "../support/parse/session-files.ts";
import { NO_SHARED } from "../support/shared.ts";
import { afterAll, beforeAll, describe, test } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import type { Store } from "../../src/store/store.ts";

/** Slightly less than the best results so far: anything lower is a regression. */
const REACHED: Record<string, Omit<RankingFigures, "questions">> = {
  tuning: { hitAt1: 0.64, hitAt5: 0.94, mrr: 0.79 },
  "tuning, half-remembered": { hitAt1: 0.72, hitAt5: 0.79, mrr: 0.76 },
  "held out": { hitAt1: 0.75, hitAt5: 0.91, mrr: 0.82 },
  "half-remembered": { hitAt1: 0.75, hitAt5: 0.85, mrr: 0.8 },
};

describe("ranking", () => {
  let store: Store | undefined;
  beforeAll(async () => {
    if (CORPUS !== undefined) store = await storeOf(corpusSessions(...LABELLED_KINDS));
  });
  afterAll(async () => {
    await store?.close();
    removeTempDirs();
  });

  for (const [name, labels] of SETS) {
    test.skipIf(CORPUS === undefined && NO_SHARED)(`of the ${name} questions, which are about the corpus`, async () => {
      assert.ok(store);
      const figures = figuresOf(await answers(store, labels));
      console.log(`ranking, ${name}: ${shownFigures(figures)}`);
      const reached = REACHED[name];
      assert.ok(reached);
      for (const key of ["hitAt1", "hitAt5", "mrr"] as const) {
        assert.ok(figures[key] >= reached[key], `${key} fell to ${figures[key]}, below ${reached[key]}`);
      }
    });
  }
});
