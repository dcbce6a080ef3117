/** All tools that any host can offer, without their work: light enough to be loaded at every start. */
import { EXTRACT_SNIPPET } from "./extract-snippet/tool.ts";
import { FIND_IN_TRANSCRIPTS } from "./find-in-transcripts/tool.ts";
import { LIST_ERRORS } from "./list-errors/tool.ts";
import { LIST_SESSIONS } from "./list-sessions/tool.ts";
import { QUERY_SNIPPETS } from "./query-snippets/tool.ts";
import { READ_SESSION } from "./read-session/tool.ts";
import type { ToolDefinition } from "./tool.ts";

/** In the order in which they are listed. `save_conversation` is not among them: only a host that records has it. */
export const TOOL_DEFINITIONS: readonly ToolDefinition[] = [
  FIND_IN_TRANSCRIPTS,
  READ_SESSION,
  LIST_SESSIONS,
  LIST_ERRORS,
  EXTRACT_SNIPPET,
  QUERY_SNIPPETS,
];
