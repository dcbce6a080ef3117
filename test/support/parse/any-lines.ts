/** Lines of made-up sessions and of session files. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { corpusSessions, ownSessions } from "./session-files.ts";
import { sessionLines } from "./session-arbitrary.ts";

const MAX_FILE_BYTES = 400_000;
const MAX_LINE_CHARACTERS = 6_000;

/** Returns lines of moderate length of each file, in order. */
function linesOfFiles(): string[][] {
  return [ownSessions, corpusSessions]
    .flatMap((find) => find("claude-code", "claude-stream-json"))
    .map(({ path }) => readFileSync(path))
    .filter((bytes) => bytes.length < MAX_FILE_BYTES)
    .map((bytes) => bytes.toString("utf8").split("\n"))
    .map((lines) => lines.filter((line) => line !== "" && line.length < MAX_LINE_CHARACTERS));
}

const SESSIONS = linesOfFiles();

const slice = fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 30 })).map(([file, start, length]): string[] => {
  const lines = SESSIONS[file % SESSIONS.length] ?? [];
  const from = start % (lines.length + 1);
  return lines.slice(from, from + length);
});

/** Lines without their ends. */
export const anyLines = (maxSteps = 25): fc.Arbitrary<string[]> =>
  fc.oneof(
    { weight: 3, arbitrary: sessionLines(maxSteps) },
    { weight: 1, arbitrary: slice },
    { weight: 1, arbitrary: fc.tuple(slice, sessionLines(8)).map((parts) => parts.flat()) },
  );
