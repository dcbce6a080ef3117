/** Extracts the user's words about a tool call, which are within the program's text in the call's result. */
import { errorText } from "../calls/result-texts.ts";
import type { ToolCall } from "../parse/model.ts";

/** Text before the user's words when a call was rejected: in Claude Code and in opencode. */
const SAID = /To tell you how to proceed, the user said:|with the following feedback:/;
/** Text after them in some versions. */
const NOTE = /\n\s*Note: The user's next message [^\n]*$/;
/** The program's text around answers to its questions. */
const ANSWERED =
  /^(?:Your questions have been answered|User has answered your questions): (.+)\. You can now continue\b/s;

/** Returns the user's words; undefined if they only said yes or no, or if there are none besides the program's text. */
export function userWords({
  status,
  result_text,
  tool_name,
}: Pick<ToolCall, "status" | "result_text" | "tool_name">): string | undefined {
  const text = errorText(result_text ?? "");
  if (status === "rejected") {
    const found = SAID.exec(text);
    const said =
      found === null
        ? ""
        : text
            .slice(found.index + found[0].length)
            .replace(NOTE, "")
            .trim();
    return said === "" ? undefined : said;
  }
  return status === "completed" && tool_name === "AskUserQuestion" ? ANSWERED.exec(text)?.[1] : undefined;
}
