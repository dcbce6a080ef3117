/** The last thing that is done to an answer. */
import { redactJson } from "../redact/redact-json.ts";
import { createRedactor, type Redactor } from "../redact/redactor.ts";
import { TOOL_DATA_VERSION, type ToolAnswer } from "./tool.ts";

let shared: Redactor | undefined;

/**
 * The answer with each secret as `[REDACTED:kind]`, in both of its forms, keys too. What was said in a session was
 * redacted before it was cut to size; this finds what stands around it, such as paths, names and ids, and what a message
 * repeats of the call. To redact again what is redacted changes nothing, and an answer is short. Rejects if the redactor
 * cannot be had: nothing is answered unredacted.
 */
export async function withoutSecrets(answer: ToolAnswer): Promise<ToolAnswer> {
  shared ??= createRedactor();
  const [text, data] = await redactJson(shared, [answer.text, answer.data]);
  const fields = typeof data?.value === "object" && data.value !== null ? data.value : {};
  return {
    ...answer,
    text: typeof text?.value === "string" ? text.value : "",
    data: { ...fields, version: TOOL_DATA_VERSION },
  };
}
