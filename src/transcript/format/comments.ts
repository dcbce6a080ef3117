/**
 * The comment that ends each section of a markdown transcript: what the parser needs and the section does not show.
 *
 * `<!-- id @MESSAGE PART ~AGENT CHARS {"more":1} -->`: ids, the agent, the length of the text, and other fields as JSON,
 * each if there is one. A section without a message's id belongs to the message of the section before it. `@` alone: it belongs to none.
 * `!EVENT`: the id of an event that belongs to none. A part whose id begins with that of its message, and `/`, is
 * written without it. A result without a part has that of its call; `-`: it has none. Ids of any other form are in the
 * JSON.
 */
import { type JsonObject, isObject, isString } from "./entry-guards.ts";
import { commentJson } from "./json-text.ts";
import { COMMENT_END, ENTRY_COMMENT, HEADER_COMMENT } from "./sections.ts";

/** Id that can stand in a comment as it is. */
const PLAIN_ID = /^[A-Za-z][\w./:+-]{0,150}$/;

/** Returns the comment for these fields of an entry and of its section. `isOfCall`: it has a call, with a part of its own. */
export function encodeComment(
  { messageID, partID, eventID, agent, chars, ...others }: JsonObject,
  isOfCall: boolean,
): string {
  const more: JsonObject = {};
  const tokens: string[] = [];
  const isPlain = (id: unknown): id is string => isString(id) && PLAIN_ID.test(id);
  const isOwnEvent = messageID === undefined && partID === undefined && isPlain(eventID);
  if (isPlain(messageID)) tokens.push(`@${messageID}`);
  else if (messageID !== undefined) more["messageID"] = messageID;
  else if (!isOwnEvent) tokens.push("@");
  if (isPlain(partID)) tokens.push(isPlain(messageID) ? withoutPrefix(partID, messageID) : partID);
  else if (partID !== undefined) more["partID"] = partID;
  else if (isOfCall) tokens.push("-");
  if (isOwnEvent) tokens.push(`!${eventID}`);
  else if (eventID !== undefined) more["eventID"] = eventID;
  if (isPlain(agent)) tokens.push(`~${agent}`);
  else if (agent !== undefined) more["agent"] = agent;
  if (chars !== undefined) tokens.push(`${Number(chars)}`);
  Object.assign(more, others);
  if (Object.keys(more).length > 0) tokens.push(commentJson(more));
  return ENTRY_COMMENT + tokens.map((token) => `${token} `).join("") + COMMENT_END.trimStart();
}

function withoutPrefix(partID: string, messageID: string): string {
  return partID.startsWith(`${messageID}/`) ? partID.slice(messageID.length) : partID;
}

/** Fields in a comment. */
export interface CommentFields {
  fields: JsonObject;
  /** Id of the message for the sections after it. */
  messageID: string | undefined;
  /** It says which part the entry was made from, or that it was made from none. */
  hasPart: boolean;
}

const TOKENS = /^(?:(@)(\S*) )?(?:!(\S+) )?(?:([A-Za-z/]\S*|-) )?(?:~(\S+) )?(?:(\d+) )?(\{.*\})?$/s;

/** Parses a section's comment; undefined if it is damaged. `messageID`: message of the section before. */
export function parseComment(line: string, messageID: string | undefined): CommentFields | undefined {
  const [, tokens] = /^<!-- id (.*)-->\r?$/s.exec(line) ?? [];
  const [isValid, at, own = "", event, part, agent, chars, json] =
    TOKENS.exec((tokens ?? "?").replace(/\} $/, "}")) ?? [];
  if (isValid === undefined) return undefined;
  const more = json === undefined ? {} : jsonObject(json);
  if (more === undefined) return undefined;
  const context = own === "" ? messageID : own;
  const isWithout = event !== undefined || (at !== undefined && own === "") || more["messageID"] !== undefined;
  const message = isWithout ? undefined : context;
  const fields: JsonObject = {
    ...(message === undefined ? {} : { messageID: message }),
    ...(part === undefined || part === "-" ? {} : { partID: part.startsWith("/") ? `${message ?? ""}${part}` : part }),
    ...(event === undefined ? {} : { eventID: event }),
    ...(agent === undefined ? {} : { agent }),
    ...(chars === undefined ? {} : { chars: Number(chars) }),
    ...more,
  };
  return { fields, messageID: context, hasPart: part !== undefined || more["partID"] !== undefined };
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
