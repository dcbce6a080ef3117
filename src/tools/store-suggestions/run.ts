/** Storing what a session suggests, for hosts that do so when it comes to rest. No tool: no model is offered it. */
import { autoExtract } from "../../snippets/auto-extract.ts";
import { optional, text } from "../arguments.ts";
import { execution } from "../execution.ts";
import { STORE_SUGGESTIONS } from "../runner/jobs.ts";
import { sessionAsked } from "../session-asked.ts";
import { TOOL_DATA_VERSION, type ToolDefinition } from "../tool.ts";

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
  const { stored, known, failed } = await autoExtract(await context.openStore(), where, ref, { signal });
  const [first] = failed;
  return {
    text: first === undefined ? `${stored.length} stored.` : `${first.title}: ${first.reason}`,
    data: { version: TOOL_DATA_VERSION, stored, known, failed },
    isError: first !== undefined,
  };
});
