/** Checks entries and headers read from a file. Unknown fields are allowed. */
import * as z from "zod/mini";
import type { TranscriptEntry, TranscriptHeader } from "./entry-types.ts";

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isString(value: unknown): value is string {
  return typeof value === "string";
}

const text = z.optional(z.string());
const number = z.optional(z.number());
const flag = z.optional(z.boolean());
const replacement = z.optional(z.literal("replace"));
const subagent = z.optional(z.object({ sessionID: z.string(), path: text }));
const attachment = z.object({ mime: z.string(), filename: text, path: text, url: text, bytes: number, missing: text });
const attachments = z.optional(z.array(attachment));

const base = { timestamp: z.string(), messageID: text, partID: text };
const message = { ...base, content: z.string(), agent: text, model: text };
const answer = {
  ...message,
  interrupted: flag,
  unfinished: flag,
  continues: z.optional(z.enum(["append", "replace"])),
};
const call = { ...base, tool: z.string(), callID: z.string(), subagent, unfinished: flag, continues: replacement };

const SHAPES: Readonly<Record<TranscriptEntry["type"], z.ZodMiniType>> = {
  user: z.object({ ...message, parts: z.array(z.unknown()), attachments }),
  assistant: z.object(answer),
  reasoning: z.object(answer),
  tool_use: z.object(call),
  tool_result: z.object({
    ...call,
    status: z.optional(z.enum(["completed", "error", "interrupted", "rejected"])),
    hostStatus: z.optional(z.literal("completed")),
    exitCode: number,
    title: text,
    attachments,
    outputMissing: text,
  }),
  session_event: z.object({ ...base, eventID: text, name: z.string(), text }),
};

const header = z.object({
  version: z.literal(1),
  sessionID: z.string(),
  parentID: text,
  parentPath: text,
  title: text,
  directory: text,
  created: text,
  host: text,
  recorder: text,
});

export function isEntryType(type: unknown): type is TranscriptEntry["type"] {
  return isString(type) && Object.hasOwn(SHAPES, type);
}

export function isTranscriptEntry(value: unknown): value is TranscriptEntry {
  return isObject(value) && isEntryType(value["type"]) && SHAPES[value["type"]].safeParse(value).success;
}

export function isTranscriptHeader(value: unknown): value is TranscriptHeader {
  return header.safeParse(value).success;
}

/** Describes why a value is not an entry. */
export function whyNoEntry(value: unknown): string {
  if (!isObject(value)) return "not a JSON object";
  if (!isEntryType(value["type"])) return `type ${JSON.stringify(value["type"]) ?? "missing"} is not known`;
  const field = SHAPES[value["type"]].safeParse(value).error?.issues[0]?.path[0] ?? "unknown";
  return `field ${String(field)} is missing or of the wrong type`;
}
