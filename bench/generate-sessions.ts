/**
 * Made-up session files of Claude Code, of any size, the same bytes for the same seed.
 *
 * They are like real ones in what readers stumble over: answers on several lines whose usage grows, lines of others
 * between them, results with a second copy for the host, errors, rejections, subagents in files of their own. Shares
 * and sizes were measured on 62 session files (9 MB) and on 540 made from the twelve largest of these (300 MB):
 *
 *   lines                share of lines   share of bytes   median   95th of 100   largest
 *   user, tool result          20 - 24%         58 - 61%   2 - 3 K     26 - 32 K      97 K
 *   assistant, tool use        21 - 24%         11 - 15%       1 K      3 -  4 K      11 K
 *   assistant, thinking        10 - 16%          9 - 12%     1.4 K            5 K      46 K
 *   assistant, text            11 - 14%          5 -  6%       1 K            2 K       5 K
 *   user, text                   4 - 5%          1 -  4%     0.6 K      4 -  8 K      23 K
 *   progress                  11 - 16%          5 -  6%     0.6 K            3 K      11 K
 *   system, attachments, snapshots and other: the rest, 3% of the bytes
 *
 * The host's copies of results are 39 to 44% of all bytes. 9% of the answers have lines of others in between.
 */
import { mkdirSync, openSync, closeSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { Random, Texts } from "./made-texts.ts";
import { MadeSession, noCounts, type SessionCounts } from "./made-session.ts";

export interface GenerateOptions {
  seed: number;
  /** Total bytes of all files. The result is larger by up to a turn (about 100 KB). */
  bytes: number;
  /** Size of the median session in bytes. Default 400,000. */
  sessionBytes?: number;
  /** Number of projects. Default 6. */
  projects?: number;
}

export interface GeneratedSessions {
  /** Absolute paths. */
  files: string[];
  /** Contents of all of them, counted during generation. */
  counts: SessionCounts;
}

/** Writes `{folder}/projects/{project}/{session}.jsonl`, and subagents below them: `folder` can be CLAUDE_CONFIG_DIR. */
export function generateSessions(folder: string, options: GenerateOptions): GeneratedSessions {
  const { seed, bytes, sessionBytes = 400_000, projects = 6 } = options;
  const random = new Random(seed);
  const texts = new Texts(random);
  const files: string[] = [];
  const counts = noCounts();
  for (let project = 0; counts.bytes < bytes; project = (project + 1) % projects) {
    const cwd = `/home/dev/project-${project}`;
    const session = new MadeSession(random, texts, cwd, counts);
    const path = join(folder, "projects", cwd.replaceAll("/", "-"), `${session.id}.jsonl`);
    const size = Math.min(random.size(sessionBytes, 4, sessionBytes * 20), bytes - counts.bytes);
    writeLines(path, session.lines(size));
    files.push(path);
    for (const { id, lines } of session.subagents) {
      const file = join(dirname(path), session.id, "subagents", `agent-${id}.jsonl`);
      writeLines(file, lines);
      files.push(file);
    }
  }
  return { files, counts };
}

/** Yields the lines of one session of at least this many bytes, one at a time: for files larger than memory. */
export function* generateLines(seed: number, bytes: number): Generator<string> {
  const random = new Random(seed);
  yield* new MadeSession(random, new Texts(random), "/home/dev/project", noCounts()).lines(bytes);
}

const WRITE_CHARACTERS = 1 << 20;

export function writeLines(path: string, lines: Iterable<string>): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w");
  let held = "";
  for (const line of lines) {
    held += line;
    if (held.length < WRITE_CHARACTERS) continue;
    writeSync(file, held);
    held = "";
  }
  writeSync(file, held);
  closeSync(file);
}
