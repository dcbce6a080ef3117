/** Output of `opencode export`, as far as a transcript is compared with it. */
import { z } from "zod";

const partBase = { id: z.string(), messageID: z.string() };

const attachment = z.looseObject({
  mime: z.string(),
  url: z.string(),
  filename: z.string().optional(),
});

const textPart = z.looseObject({
  ...partBase,
  type: z.literal("text"),
  text: z.string(),
  synthetic: z.boolean().optional(),
  ignored: z.boolean().optional(),
});

const reasoningPart = z.looseObject({
  ...partBase,
  type: z.literal("reasoning"),
  text: z.string(),
});

const filePart = z.looseObject({
  ...partBase,
  type: z.literal("file"),
  mime: z.string(),
  url: z.string(),
});

const toolState = z.looseObject({
  status: z.enum(["pending", "running", "completed", "error"]),
  input: z.unknown(),
  output: z.string().optional(),
  error: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  attachments: z.array(attachment).optional(),
});

const toolPart = z.looseObject({
  ...partBase,
  type: z.literal("tool"),
  tool: z.string(),
  callID: z.string(),
  state: toolState,
});

const OTHER_TYPES = [
  "step-start",
  "step-finish",
  "patch",
  "snapshot",
  "agent",
  "subtask",
  "compaction",
  "retry",
] as const;
const otherPart = z.looseObject({ ...partBase, type: z.enum(OTHER_TYPES) });

/** A part type that this list lacks fails the parse: the oracle must not pass over what it does not know. */
const part = z.discriminatedUnion("type", [textPart, reasoningPart, filePart, toolPart, otherPart]);

const message = z.looseObject({
  info: z.looseObject({ id: z.string(), role: z.enum(["user", "assistant"]) }),
  parts: z.array(part),
});

const session = z.looseObject({
  info: z.looseObject({ id: z.string(), parentID: z.string().optional(), title: z.string() }),
  messages: z.array(message),
});

export type ExportedPart = z.infer<typeof part>;
export type ExportedToolPart = z.infer<typeof toolPart>;
export type ExportedMessage = z.infer<typeof message>;
export type ExportedSession = z.infer<typeof session>;

/** Parses an export; throws an error that names the field that is not as expected. */
export function parseExport(json: unknown): ExportedSession {
  return session.parse(json);
}
