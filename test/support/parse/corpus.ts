/** Real session files beside the repository, where they are present. */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { REPOSITORY } from "../repository.ts";

export const CORPUS = join(REPOSITORY, "../shared/corpus");

/** Paths within the corpus, in order; none if it is not there. */
export function corpusFiles(...kinds: readonly string[]): string[] {
  return kinds
    .filter((kind) => existsSync(join(CORPUS, kind)))
    .flatMap((kind) =>
      readdirSync(join(CORPUS, kind), { recursive: true, encoding: "utf8" }).map((name) => join(kind, name)),
    )
    .filter(isReadable)
    .toSorted();
}

/** Files of Qwen Code are among Claude Code's. */
export function isReadable(name: string): boolean {
  return /\.jsonl?$/.test(name) && !/[\\/]qwen[\\/]/.test(name);
}

/** Where an agent keeps such a file, below the home folder. */
export function placeOfCorpusFile(name: string): string {
  if (name.startsWith("opencode-export"))
    return `.openfleet/transcripts/ses_${basename(name)}`.replace(/json$/, "jsonl");
  const names = name.split(/[\\/]/);
  const subagents = names.lastIndexOf("subagents");
  const start = subagents > 0 ? subagents - 1 : names.length - 1;
  return join(".claude/projects", names.slice(0, start).join("-").replaceAll(/\W/g, "-"), ...names.slice(start));
}
