/** What sections of a markdown transcript need not repeat, because earlier ones have it: their message, and their call. */
import { given } from "../../given.ts";
import { hasAgent, parseComment, type CommentFields } from "./comments.ts";
import { isString } from "./entry-guards.ts";
import { CALL_ID_LABEL, ENTRY_COMMENT, headingOf } from "./sections.ts";

/** Maximum number of calls without a result that are remembered; beyond it the oldest is dropped, since some never end. */
const MAX_OPEN_CALLS = 1_000;

export interface OpenCall {
  callID: string;
  partID?: string | undefined;
  /** Known to readers. */
  input?: unknown;
}

/** State of a file after one of its sections. Never modified. */
export interface SectionContext {
  /** Message of the last section that names one. */
  messageID?: string | undefined;
  /** Agent of the last message or text. */
  agent?: string | undefined;
  /** Calls whose results have not come, in the order of the file. */
  calls: readonly OpenCall[];
}

export const FIRST_CONTEXT: SectionContext = { calls: [] };

/** Returns which open call a result belongs to: the one with its part id, or else the last one with its call id; or -1. */
export function callOf(calls: readonly OpenCall[], callID: unknown, partID: unknown): number {
  const same = calls.findLastIndex((call) => call.callID === callID && call.partID === partID);
  return same === -1 ? calls.findLastIndex((call) => call.callID === callID) : same;
}

/** Facts in a section's comment and its first lines. */
export interface SectionFacts extends CommentFields {
  type: unknown;
  callID: unknown;
}

const CALL_ID_LINE = new RegExp(String.raw`^[^\n]*\n\r?\n${CALL_ID_LABEL.replaceAll("*", String.raw`\*`)}([^\r\n]*)`);
/** Maximum length of the heading and the line with the call id. */
const MAX_START = 800;

/**
 * Reads a section, of which the beginning suffices, and its comment. Undefined if the comment is damaged. A result has the
 * part id of its call.
 */
export function sectionFacts(section: string, comment: string, context: SectionContext): SectionFacts | undefined {
  const parsed = parseComment(comment, context.messageID);
  if (parsed === undefined) return undefined;
  const { type = headingOf(section)?.type, callID = CALL_ID_LINE.exec(section.slice(0, MAX_START))?.[1] } =
    parsed.fields;
  if (hasAgent(type) && !parsed.hasAgent) {
    return { ...parsed, type, callID, fields: { ...parsed.fields, ...given({ agent: context.agent }) } };
  }
  if (type !== "tool_result" || parsed.hasPart) return { ...parsed, type, callID };
  const partID = context.calls[callOf(context.calls, callID, undefined)]?.partID;
  return { ...parsed, type, callID, fields: { ...parsed.fields, ...given({ partID }) } };
}

/** Returns the context for what follows a section. */
export function afterSection(
  { type, callID, messageID, fields }: SectionFacts,
  context: SectionContext,
): SectionContext {
  if (hasAgent(type)) return { ...context, messageID, agent: isString(fields["agent"]) ? fields["agent"] : undefined };
  if (!isString(callID)) return { ...context, messageID };
  const partID = isString(fields["partID"]) ? fields["partID"] : undefined;
  if (type === "tool_use") return { ...context, messageID, calls: withCall(context.calls, { callID, partID }) };
  const at = type === "tool_result" && fields["continues"] === undefined ? callOf(context.calls, callID, partID) : -1;
  return { ...context, messageID, calls: at === -1 ? context.calls : context.calls.toSpliced(at, 1) };
}

/** Adds a call, in place of an earlier one with the same ids, which it corrects. */
export function withCall<C extends OpenCall>(calls: readonly C[], call: C): C[] {
  const others = calls.filter(({ callID, partID }) => callID !== call.callID || partID !== call.partID);
  return [...others, call].slice(-MAX_OPEN_CALLS);
}

/** Leaves out of a section what the context has. Returns it with the context for the next one. */
export function inContext(section: string, context: SectionContext): { section: string; context: SectionContext } {
  // Encoded text contains no comment of ours.
  const start = section.lastIndexOf(ENTRY_COMMENT);
  const comment = section.slice(start, section.indexOf("\n", start));
  const facts = sectionFacts(section, comment, context);
  if (facts === undefined) return { section, context };
  const { type, callID, messageID, fields } = facts;
  let short = comment;
  if (type === "tool_result" && fields["continues"] === undefined && isString(fields["partID"])) {
    const last = context.calls.findLast((call) => call.callID === callID);
    if (last?.partID === fields["partID"]) short = short.replace(/^(<!-- id (?:@\S* )?)[A-Za-z/_]\S* /, "$1");
  }
  if (hasAgent(type) && fields["agent"] === context.agent) short = short.replace(/^(<!-- id [^~{]*)~\S+ /, "$1");
  if (messageID === context.messageID) short = short.replace(/^(<!-- id )@\S+ /, "$1");
  const shortened = section.slice(0, start) + short + section.slice(start + comment.length);
  return { section: short === comment ? section : shortened, context: afterSection(facts, context) };
}
