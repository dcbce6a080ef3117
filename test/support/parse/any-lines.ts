/** Lines of made-up sessions and, where the corpus is present, of real ones. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { CORPUS, corpusFiles } from "./corpus.ts";
import { sessionLines } from "./session-arbitrary.ts";

const MAX_FILE_BYTES = 400_000;
const MAX_LINE_CHARACTERS = 6_000;

/** Returns lines of moderate length of each real file, in order. */
function realSessions(): string[][] {
  return corpusFiles("claude-code", "claude-stream-json")
    .map((name) => readFileSync(join(CORPUS, name)))
    .filter((bytes) => bytes.length < MAX_FILE_BYTES)
    .map((bytes) => bytes.toString("utf8").split("\n"))
    .map((lines) => lines.filter((line) => line !== "" && line.length < MAX_LINE_CHARACTERS));
}

const SESSIONS = realSessions();

const slice = fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 30 })).map(([file, start, length]): string[] => {
  const lines = SESSIONS[file % SESSIONS.length] ?? [];
  const from = start % (lines.length + 1);
  return lines.slice(from, from + length);
});

/** Lines without their ends. */
export const anyLines = (maxSteps = 25): fc.Arbitrary<string[]> =>
  SESSIONS.length === 0
    ? sessionLines(maxSteps)
    : fc.oneof(
        { weight: 3, arbitrary: sessionLines(maxSteps) },
        { weight: 1, arbitrary: slice },
        { weight: 1, arbitrary: fc.tuple(slice, sessionLines(8)).map((parts) => parts.flat()) },
      );
