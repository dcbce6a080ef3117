/** Real session files beside the repository, where they are present. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
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
