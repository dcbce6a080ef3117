/** Input of benchmarks: made-up sessions, and real ones, copied under new ids until there are enough of them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { REPOSITORY } from "../test/support/repository.ts";
import { generateLines, generateSessions, writeLines } from "./generate-sessions.ts";

/** Folder with session files at any depth. Benchmarks use only made-up sessions if it does not exist. */
const CORPUS = process.env["BENCH_CORPUS"] ?? join(REPOSITORY, "../shared/corpus/claude-code");

export interface SessionSet {
  /** For example `made-up sessions`. */
  name: string;
  /** Writes at least this many bytes of sessions below `{folder}/projects`: `folder` can be CLAUDE_CONFIG_DIR. */
  fill: (folder: string, bytes: number) => { files: string[]; bytes: number; tokensOut?: number };
  /** Writes one session of this size. */
  fillOne: (file: string, bytes: number) => void;
}

const MADE: SessionSet = {
  name: "made-up sessions",
  fill(folder, bytes) {
    const { files, counts } = generateSessions(folder, { seed: 1, bytes });
    return { files, bytes: counts.bytes, tokensOut: counts.tokensOut };
  },
  fillOne: (file, bytes) => writeLines(file, generateLines(1, bytes)),
};

const realSet = (corpus: string): SessionSet => ({
  name: "real sessions",
  fill: (folder, bytes) => copyRealSessions(corpus, folder, bytes),
  fillOne: (file, bytes) => writeLines(file, realLines(corpus, bytes)),
});

export const SESSION_SETS: readonly SessionSet[] = [MADE, ...(existsSync(CORPUS) ? [realSet(CORPUS)] : [])];

interface RealSession {
  /** Path relative to the corpus. */
  name: string;
  text: string;
}

function realSessions(corpus: string): RealSession[] {
  const names = readdirSync(corpus, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  if (names.length === 0) throw new Error(`BENCH_CORPUS: there is no .jsonl file in ${corpus}.`);
  return names.toSorted().map((name) => ({ name, text: readFileSync(join(corpus, name), "utf8") }));
}

function* realLines(corpus: string, bytes: number): Generator<string> {
  const sessions = realSessions(corpus);
  let written = 0;
  for (let copy = 0; written < bytes; copy += 1) {
    for (const { text } of sessions) {
      if (written >= bytes) return;
      const content = withNewIds(text.endsWith("\n") ? text : `${text}\n`, copy);
      written += Buffer.byteLength(content);
      yield content;
    }
  }
}

function copyRealSessions(corpus: string, folder: string, bytes: number): { files: string[]; bytes: number } {
  const sessions = realSessions(corpus);
  const files: string[] = [];
  let written = 0;
  for (let copy = 0; written < bytes; copy += 1) {
    for (const { name, text } of sessions) {
      if (written >= bytes) break;
      const content = withNewIds(text, copy);
      const path = join(folder, "projects", placeOf(withNewIds(name, copy), `copy-${copy}`));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      files.push(path);
      written += Buffer.byteLength(content);
    }
  }
  return { files, bytes: written };
}

/** Returns a path where Claude Code keeps sessions: `{project}/{id}.jsonl`, or `{project}/{parent}/subagents/agent-….jsonl`. */
function placeOf(name: string, copy: string): string {
  const folders = name.split("/");
  const kept = folders.at(-2) === "subagents" ? folders.splice(-3) : folders.splice(-1);
  return join([copy, ...folders].join("-"), ...kept);
}

/** Gives the sessions, records, messages and calls of a copy new ids. */
function withNewIds(text: string, copy: number): string {
  const mark = copy.toString(16).padStart(4, "0");
  return text
    .replaceAll(/\b[0-9a-f]{4}(?=[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-)/g, mark)
    .replaceAll(/\b(msg|toolu|req)_(?:01)?[0-9A-Za-z]{4}/g, `$1_01${mark}`);
}
