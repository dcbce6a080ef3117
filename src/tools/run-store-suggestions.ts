/** Stores a session's suggestions, for hosts that do so when it becomes idle. Not offered to models as a tool. */
import { autoExtract } from "../snippets/auto-extract.ts";
import { optional, text } from "./arguments.ts";
import { execution } from "./execution.ts";
import { sessionAsked } from "./session-heading.ts";
import { STORE_SUGGESTIONS, type ToolDefinition } from "./tool.ts";

const args = { session: optional(text("")) } as const;

const JOB: ToolDefinition<typeof args> = {
  name: STORE_SUGGESTIONS,
  title: "Store suggestions",
  description: "",
  args,
  example: { session: "latest" },
  readOnly: false,
};

export const execute = execution(JOB, async ({ session }, context) => {
  const { where, signal } = context;
  const ref = await sessionAsked(session, context);
  const { stored } = await autoExtract(await context.openStore(), where, ref, { signal });
  return { text: `${stored} stored.` };
});
