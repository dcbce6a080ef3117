/** What a person said in answer to a tool call: it stands in the call's result, in words of the program. */
import { errorText } from "../calls/result-texts.ts";
import type { ToolCall } from "./model.ts";

/** Stands before what a person typed who refused a call. */
const SAID = "To tell you how to proceed, the user said:";
/** Stands after it in some versions. */
const NOTE = /\n\s*Note: The user's next message [^\n]*$/;
/** What the program makes of the answers to its questions. */
const ANSWERED =
  /^(?:Your questions have been answered|User has answered your questions): (.+)\. You can now continue\b/s;

/** Undefined if they only said yes or no, or nothing that can be told from the program's words. */
export function userWords({
  status,
  result_text,
  tool_name,
}: Pick<ToolCall, "status" | "result_text" | "tool_name">): string | undefined {
  const text = errorText(result_text ?? "");
  if (status === "rejected") {
    const at = text.indexOf(SAID);
    const said =
      at === -1
        ? ""
        : text
            .slice(at + SAID.length)
            .replace(NOTE, "")
            .trim();
    return said === "" ? undefined : said;
  }
  return status === "completed" && tool_name === "AskUserQuestion" ? ANSWERED.exec(text)?.[1] : undefined;
}
