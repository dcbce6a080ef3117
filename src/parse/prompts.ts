/** What a person said, among all that stands in their place. */
import type { TranscriptMessage } from "./model.ts";

/** What a person did not say, though it stands in their place. */
const NOT_SAID = new Set<unknown>(["command_output", "notification", "interruption", "compact_summary"]);

/** Whether a person said it, as a prompt or a command. A turn begins with each. */
export function isPrompt({ user_kind, metadata }: TranscriptMessage): boolean {
  return user_kind === "human" && !NOT_SAID.has(metadata.origin);
}
