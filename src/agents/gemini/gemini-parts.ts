import { type Fields, jsonText } from "../../parse/json-fields.ts";

/** Returns the text of a `functionResponse`, which Qwen Code, a fork of Gemini CLI, has too. */
export function responseText(response: Fields): string {
  const said = response["output"] ?? response["error"] ?? response;
  return typeof said === "string" ? said : jsonText(said);
}
