/** Failures that teach nothing. */
import type { ToolCall } from "../../parse/model.ts";

/**
 * Errors whose message says all there is to know: the host's own rules for its tools, paths that were guessed, options
 * that do not exist, imports and names that are not used.
 */
const SLIP =
  /has not been read yet|has been (?:modified|unexpectedly modified) since|string to replace not found|could not find oldString|found \d+ matches of the string|InputValidationError|invalid arguments|SchemaError|required parameter|requested permissions|haven't granted|was blocked\. For security|EISDIR|no such file or directory|does not exist|file not found|not found in (?:PATH|file)|command not found|unknown (?:flag|option|command|json field|argument)|unrecognized (?:option|argument)|no such option|parse error near|imported and not used|declared and not used|is defined but never used|is assigned a value but never used|exceeds maximum allowed tokens|user doesn't want|sibling tool call errored/i;
/** What is looked at of a message. */
const HEAD_CHARS = 600;

export function isSlip({ error, result_text }: ToolCall): boolean {
  return SLIP.test((error ?? result_text ?? "").slice(0, HEAD_CHARS));
}
