/** Checks entries and headers read from a file. Unknown fields are allowed. */
import type {
  AssistantMessageEntry,
  Attachment,
  SessionEventEntry,
  SubagentLink,
  ToolResultEntry,
  ToolUseEntry,
  TranscriptEntry,
  TranscriptHeader,
  UserMessageEntry,
} from "./entry-types.ts";

type Check = (value: unknown) => boolean;
/** Has a check for each field of a type, so that the compiler reports a forgotten one. */
type Checks<T> = Record<Exclude<keyof T, "type">, Check>;

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const isString = (value: unknown): value is string => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isTrueOrFalse: Check = (value) => typeof value === "boolean";
const anything: Check = () => true;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf =
  (...values: string[]): Check =>
  (value) =>
    isString(value) && values.includes(value);
const shaped =
  (checks: Record<string, Check>): Check =>
  (value) =>
    isObject(value) && wrongField(value, checks) === undefined;

const attachment = shaped({
  mime: isString,
  filename: optional(isString),
  path: optional(isString),
  url: optional(isString),
  bytes: optional(isNumber),
  missing: optional(isString),
} satisfies Checks<Attachment>);
const attachments = optional((value) => Array.isArray(value) && value.every(attachment));

const subagent = optional(shaped({ sessionID: isString, path: optional(isString) } satisfies Checks<SubagentLink>));

const base = { timestamp: isString, messageID: optional(isString), partID: optional(isString) };

const message = { ...base, content: isString, agent: optional(isString), model: optional(isString) };

const assistant: Checks<AssistantMessageEntry> = {
  ...message,
  interrupted: optional(isTrueOrFalse),
  unfinished: optional(isTrueOrFalse),
  continues: optional(oneOf("append", "replace")),
};

const call = {
  ...base,
  tool: isString,
  callID: isString,
  input: anything,
  subagent,
  unfinished: optional(isTrueOrFalse),
  continues: optional(oneOf("replace")),
};

const CHECKS = {
  user: { ...message, parts: Array.isArray, attachments } satisfies Checks<UserMessageEntry>,
  assistant,
  reasoning: assistant,
  tool_use: call satisfies Checks<ToolUseEntry>,
  tool_result: {
    ...call,
    output: anything,
    status: optional(oneOf("completed", "error", "interrupted", "rejected")),
    hostStatus: optional(oneOf("completed")),
    exitCode: optional(isNumber),
    title: optional(isString),
    metadata: anything,
    attachments,
    outputMissing: optional(isString),
  } satisfies Checks<ToolResultEntry>,
  session_event: {
    ...base,
    eventID: optional(isString),
    name: isString,
    text: optional(isString),
    data: anything,
  } satisfies Checks<SessionEventEntry>,
} satisfies Record<TranscriptEntry["type"], Record<string, Check>>;

const header: Checks<TranscriptHeader> = {
  version: (value) => value === 1,
  sessionID: isString,
  parentID: optional(isString),
  parentPath: optional(isString),
  title: optional(isString),
  directory: optional(isString),
  created: optional(isString),
  host: optional(isString),
  recorder: optional(isString),
};

export function isEntryType(type: unknown): type is TranscriptEntry["type"] {
  return isString(type) && Object.hasOwn(CHECKS, type);
}

export function isTranscriptEntry(value: unknown): value is TranscriptEntry {
  return isObject(value) && isEntryType(value["type"]) && wrongField(value, CHECKS[value["type"]]) === undefined;
}

export function isTranscriptHeader(value: unknown): value is TranscriptHeader {
  return isObject(value) && wrongField(value, header) === undefined;
}

/** Describes why a value is not an entry. */
export function whyNoEntry(value: unknown): string {
  if (!isObject(value)) return "not a JSON object";
  if (!isEntryType(value["type"])) return `type ${JSON.stringify(value["type"]) ?? "missing"} is not known`;
  return `field ${wrongField(value, CHECKS[value["type"]]) ?? "unknown"} is missing or of the wrong type`;
}

function wrongField(value: JsonObject, checks: Record<string, Check>): string | undefined {
  for (const name in checks) if (checks[name]?.(value[name]) !== true) return name;
  return undefined;
}
