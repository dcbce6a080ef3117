/**
 * The comment that ends each section of a markdown transcript: what the parser needs and the section does not show.
 *
 * `<!-- id @MESSAGE PART ~AGENT CHARS {"more":1} -->`: ids, the agent, the length of the text, and other fields as JSON,
 * each if there is one. A section without a message or an agent has those of the section before it; `@` and `~` alone: it
 * has none. A result without a part has that of its call; `-`: it has none. `!EVENT`: the id of an event that belongs to
 * no message. `+TEXT`: the part of a user's message that is its text, if there is no other.
 *
 * `_x` is short for `prt_x`, after `@` for `msg_x`, and `/x` for the message's id with `/x`. Ids of any other form are in
 * the JSON.
 */
import type { TranscriptEntry } from "./entry-types.ts";
import { type JsonObject, isObject, isString } from "./entry-guards.ts";
import { commentJson } from "./json-text.ts";
import { COMMENT_END, ENTRY_COMMENT, HEADER_COMMENT } from "./sections.ts";

/** Id that can stand in a comment as it is. */
const PLAIN_ID = /^[A-Za-z][\w./:+-]{0,150}$/;

/** Returns the comment for these fields of an entry, which is of this type, and of its section. */
export function encodeComment(
  { messageID, partID, eventID, textPart, agent, chars, ...others }: JsonObject,
  type: TranscriptEntry["type"],
): string {
  const more: JsonObject = {};
  const tokens: string[] = [];
  const isPlain = (id: unknown): id is string => isString(id) && PLAIN_ID.test(id);
  const isOwnEvent = messageID === undefined && partID === undefined && isPlain(eventID);
  if (isPlain(messageID)) tokens.push(`@${messageID.replace(/^msg_/, "_")}`);
  else if (messageID !== undefined) more["messageID"] = messageID;
  else if (!isOwnEvent) tokens.push("@");
  if (isPlain(partID)) tokens.push(shortPart(partID, messageID));
  else if (partID !== undefined) more["partID"] = partID;
  else if (type === "tool_result") tokens.push("-");
  if (isOwnEvent) tokens.push(`!${eventID}`);
  else if (eventID !== undefined) more["eventID"] = eventID;
  if (isPlain(textPart)) tokens.push(`+${shortPart(textPart, messageID)}`);
  else if (textPart !== undefined) more["textPart"] = textPart;
  if (isPlain(agent)) tokens.push(`~${agent}`);
  else if (agent !== undefined) more["agent"] = agent;
  else if (hasAgent(type)) tokens.push("~");
  if (chars !== undefined) tokens.push(`${Number(chars)}`);
  Object.assign(more, others);
  if (Object.keys(more).length > 0) tokens.push(commentJson(more));
  return ENTRY_COMMENT + tokens.map((token) => `${token} `).join("") + COMMENT_END.trimStart();
}

export function hasAgent(type: unknown): boolean {
  return type === "user" || type === "assistant" || type === "reasoning";
}

function shortPart(partID: string, messageID: unknown): string {
  const isOfMessage = isString(messageID) && PLAIN_ID.test(messageID) && partID.startsWith(`${messageID}/`);
  return isOfMessage ? partID.slice(messageID.length) : partID.replace(/^prt_/, "_");
}

function wholePart(token: string, messageID: string | undefined): string {
  if (token.startsWith("/")) return `${messageID ?? ""}${token}`;
  return token.replace(/^_/, "prt_");
}

/** Fields in a comment. */
export interface CommentFields {
  fields: JsonObject;
  /** Id of the message for the sections after it. */
  messageID: string | undefined;
  /** It says which part the entry was made from, or that it was made from none. */
  hasPart: boolean;
  /** The same for the agent. */
  hasAgent: boolean;
}

const TOKENS = /^(?:(@)(\S*) )?(?:!(\S+) )?(?:([A-Za-z/_]\S*|-) )?(?:\+(\S+) )?(?:~(\S*) )?(?:(\d+) )?(\{.*\})?$/s;

/** Parses a section's comment; undefined if it is damaged. `messageID`: message of the section before. */
export function parseComment(line: string, messageID: string | undefined): CommentFields | undefined {
  const [, tokens] = /^<!-- id (.*)-->\r?$/s.exec(line) ?? [];
  const [isValid, at, own = "", event, part, textPart, agent, chars, json] =
    TOKENS.exec((tokens ?? "?").replace(/\} $/, "}")) ?? [];
  if (isValid === undefined) return undefined;
  const more = json === undefined ? {} : jsonObject(json);
  if (more === undefined) return undefined;
  const context = own === "" ? messageID : own.replace(/^_/, "msg_");
  const isWithout = event !== undefined || (at !== undefined && own === "") || more["messageID"] !== undefined;
  const message = isWithout ? undefined : context;
  const fields: JsonObject = {
    ...(message === undefined ? {} : { messageID: message }),
    ...(part === undefined || part === "-" ? {} : { partID: wholePart(part, message) }),
    ...(event === undefined ? {} : { eventID: event }),
    ...(textPart === undefined ? {} : { textPart: wholePart(textPart, message) }),
    ...(agent === undefined || agent === "" ? {} : { agent }),
    ...(chars === undefined ? {} : { chars: Number(chars) }),
    ...more,
  };
  const isSaid = (token: string | undefined, name: string): boolean => token !== undefined || more[name] !== undefined;
  return { fields, messageID: context, hasPart: isSaid(part, "partID"), hasAgent: isSaid(agent, "agent") };
}

/** Returns the JSON of the header's comment; undefined if it is damaged. */
export function parseHeaderComment(line: string): JsonObject | undefined {
  const [, json = ""] = /^<!-- transcript (.*) -->\r?$/s.exec(line) ?? [];
  return jsonObject(json);
}

export function encodeHeaderComment(fields: JsonObject): string {
  return HEADER_COMMENT + commentJson(fields) + COMMENT_END;
}

function jsonObject(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
