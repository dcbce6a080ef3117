/** Turns the arguments of opencode's hooks into records. Never throws, whatever their shape; the records are copies. */
import { given } from "../../given.ts";
import { toJsonValue } from "../../transcript/json-value.ts";
import type { HostRecord, PromptPart } from "../../transcript/records.ts";
import { modelName, type EventTranslator } from "./events.ts";
import { fields, id, isFields, list, read, text } from "./event-fields.ts";
import { completedOutput, userPart } from "./parts.ts";

/** Returns the records for `chat.message`: a prompt with all its parts. */
export function promptRecords(translator: EventTranslator, about: unknown, output: unknown): HostRecord[] {
  const message = fields(output, "message");
  const messageID = id(message, "id") ?? id(about, "messageID");
  const sessionID = id(about, "sessionID") ?? id(message, "sessionID");
  if (sessionID === undefined || messageID === undefined) return [];
  translator.learnRole(messageID, "user");
  const parts = list(output, "parts").flatMap((part, at): PromptPart[] => {
    if (!isFields(part)) return [];
    return [{ partID: id(part, "id") ?? `${messageID}-${at}`, part: userPart(part) }];
  });
  const model = modelName(message) ?? modelName({ model: read(about, "model") });
  return [
    {
      kind: "prompt",
      sessionID,
      messageID,
      parts,
      ...given({ agent: id(message, "agent") ?? id(about, "agent"), model }),
    },
  ];
}

/** Returns the records for `tool.execute.before`. */
export function callHints(about: unknown, output: unknown): HostRecord[] {
  const call = callOf(about);
  return call ? [{ kind: "call_hint", ...call, input: toJsonValue(read(output, "args") ?? {}) }] : [];
}

/** Returns the records for `tool.execute.after`. */
export function resultHints(about: unknown, output: unknown): HostRecord[] {
  const call = callOf(about);
  if (!call) return [];
  const args = read(about, "args");
  const end = { status: "completed" as const, ...completedOutput(output) };
  return [{ kind: "result_hint", ...call, end, ...(args === undefined ? {} : { input: toJsonValue(args) }) }];
}

function callOf(about: unknown): { sessionID: string; callID: string; tool: string } | undefined {
  const sessionID = id(about, "sessionID");
  const callID = id(about, "callID");
  if (sessionID === undefined || callID === undefined) return undefined;
  return { sessionID, callID, tool: text(about, "tool") ?? "unknown" };
}
