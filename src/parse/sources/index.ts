/** The sources that can be read, in the order in which they are asked. A new one is a file of its own and a line here. */
import type { Source } from "../draft.ts";
import { claudeCode } from "./claude-code.ts";
import { claudeStream } from "./claude-stream.ts";
import { jsonl } from "./jsonl.ts";
import { markdown } from "./markdown.ts";
import { opencodeExport } from "./opencode-export.ts";

const SOURCES: readonly Source[] = [jsonl, markdown, opencodeExport, claudeStream, claudeCode];

/** The source of an input, by its first bytes as text. */
export function detectSource(head: string): Source | undefined {
  return SOURCES.find((source) => source.detect(head));
}
