/** Turns the arguments of opencode's hooks, which it may change later, into records. Never throws, whatever their shape. */
import { given } from "../../given.ts";
import { jsonCopy } from "../../json-copy.ts";
import type { HostRecord, PromptPart } from "../../transcript/records.ts";
import type { EventTranslator } from "./events.ts";
import { fieldsOf, textOf, isFields, listOf, fieldOf, stringOf } from "../../parse/json-fields.ts";
import { completedOutput, modelName, userPart } from "../../agents/opencode/opencode-records.ts";

/** Returns the records for `chat.message`: a prompt with all its parts. */
export function promptRecords(translator: EventTranslator, input: unknown, prompt: unknown): HostRecord[] {
  const about = jsonCopy(input);
  const output = jsonCopy(prompt);
  const message = fieldsOf(output, "message");
  const messageID = textOf(message, "id") ?? textOf(about, "messageID");
  const sessionID = textOf(about, "sessionID") ?? textOf(message, "sessionID");
  if (sessionID === undefined || messageID === undefined) return [];
  translator.learnRole(messageID, "user");
  const parts = listOf(output, "parts").flatMap((part, at): PromptPart[] => {
    if (!isFields(part)) return [];
    return [{ partID: textOf(part, "id") ?? `${messageID}-${at}`, part: userPart(part) }];
  });
  const model = modelName(message) ?? modelName({ model: fieldOf(about, "model") });
  return [
    {
      kind: "prompt",
      sessionID,
      messageID,
      parts,
      ...given({ agent: textOf(message, "agent") ?? textOf(about, "agent"), model }),
    },
  ];
}

/** Returns the records for `tool.execute.before`. */
export function callHints(about: unknown, output: unknown): HostRecord[] {
  const call = callOf(jsonCopy(about));
  return call ? [{ kind: "call_hint", ...call, input: fieldOf(jsonCopy(output), "args") ?? {} }] : [];
}

/** Returns the records for `tool.execute.after`. */
export function resultHints(given: unknown, output: unknown): HostRecord[] {
  const about = jsonCopy(given);
  const call = callOf(about);
  if (!call) return [];
  const input = fieldOf(about, "args");
  const end = { status: "completed" as const, ...completedOutput(jsonCopy(output)) };
  return [{ kind: "result_hint", ...call, end, ...(input === undefined ? {} : { input }) }];
}

function callOf(about: unknown): { sessionID: string; callID: string; tool: string } | undefined {
  const sessionID = textOf(about, "sessionID");
  const callID = textOf(about, "callID");
  if (sessionID === undefined || callID === undefined) return undefined;
  return { sessionID, callID, tool: stringOf(about, "tool") ?? "unknown" };
}
