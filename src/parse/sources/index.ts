/** The sources that can be read, in the order in which they are asked. A new one is a file of its own and a line here. */
import type { Source } from "../draft.ts";
import { claudeCode } from "./claude-code.ts";
import { claudeStream } from "./claude-stream.ts";
import { foreignAgent } from "./foreign.ts";
import { jsonl } from "./jsonl.ts";
import { markdown } from "./markdown.ts";
import { opencodeExport } from "./opencode-export.ts";

const OURS_AND_EXPORTS: readonly Source[] = [jsonl, markdown, opencodeExport];
const CLAUDE: readonly Source[] = [claudeStream, claudeCode];

/** The source of an input, by its first bytes as text; undefined if it is none that can be read. */
export function detectSource(head: string): Source | undefined {
  const known = OURS_AND_EXPORTS.find((source) => source.detect(head));
  // Some agents write lines that pass for Claude Code's.
  if (known !== undefined || foreignAgent(head) !== undefined) return known;
  return CLAUDE.find((source) => source.detect(head));
}
