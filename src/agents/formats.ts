/** Supported sources, in the order in which they are tried. A new one is a file of its own and a line here. */
import type { Format } from "../parse/message-draft.ts";
import { claudeCode, claudeStream } from "./claude-code/claude-formats.ts";
import { foreignAgent } from "./foreign.ts";
import { jsonl, markdown } from "./transcripts/transcript-files.ts";
import { opencodeExport } from "./opencode/opencode-export.ts";

const OURS_AND_EXPORTS: readonly Format[] = [jsonl, markdown, opencodeExport];
const CLAUDE: readonly Format[] = [claudeStream, claudeCode];

/** Number of first bytes in which the source of an input is detected. */
export const HEAD_BYTES = 64 * 1024;

/** Detects the source of an input from its first bytes as text; undefined if it is not supported. */
export function detectFormat(head: string): Format | undefined {
  const known = OURS_AND_EXPORTS.find((source) => source.detect(head));
  // Some agents write lines that look like Claude Code's.
  if (known !== undefined || foreignAgent(head) !== undefined) return known;
  return CLAUDE.find((source) => source.detect(head));
}

/** Returns the source with this name; Claude Code's for any other name, as for an input of no known source. */
export function formatNamed(name: string): Format {
  return [...OURS_AND_EXPORTS, ...CLAUDE].find((source) => source.name === name) ?? claudeCode;
}
