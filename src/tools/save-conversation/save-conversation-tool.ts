import * as z from "zod/mini";
import { described, withoutNulls } from "../arguments.ts";

const MAX_NOTE_CHARS = 10_000;

const note = z.optional(
  z.string("it must be a text").check(z.maxLength(MAX_NOTE_CHARS, `it may have ${MAX_NOTE_CHARS} characters at most`)),
);
const compact = z.optional(z.boolean("it must be true or false"));

export const SAVE_CONVERSATION = {
  name: "save_conversation",
  description:
    "Saves this conversation as a file in the project, with a summary, statistics and commands to search its transcript.",
  args: {
    note: described(note, "What to remember about this session."),
    compact: described(compact, "Also summarize the conversation when this turn ends, to free the context."),
  },
} as const;

const argsSchema = z.object(SAVE_CONVERSATION.args, "they must be an object, such as {}");

export type SaveConversationArgs = z.output<typeof argsSchema>;

/** Reads the arguments of a call, which hosts pass unchecked. Describes an invalid one in words for the model. */
export function readSaveArgs(raw: unknown): SaveConversationArgs | { problem: string } {
  const parsed = argsSchema.safeParse(withoutNulls(raw) ?? raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join(".") ?? "";
  return { problem: `${path === "" ? "arguments" : path}: ${issue?.message ?? "not understood"}` };
}
