/** The entries that an export calls for. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { MAX_OUTPUT_BYTES } from "../../../src/transcript/kept-files.ts";
import type { ExportedMessage, ExportedPart, ExportedSession, ExportedToolPart } from "./export.ts";

interface Place {
  messageID: string;
  /** Position of the message in the export. */
  messageIndex: number;
  /** Id of the (first) part. */
  partID: string;
}

export interface ExpectedUser extends Place {
  kind: "user";
  /** The visible text. */
  content: string;
  /** All parts, which the entry must hold. */
  parts: readonly ExportedPart[];
  /** Nothing in it was said by anybody (a compaction's marker): an entry may stand for it or not. */
  optional: boolean;
}

export interface ExpectedText extends Place {
  kind: "assistant" | "reasoning";
  content: string;
}

export interface ExpectedCall extends Place {
  kind: "call";
  tool: string;
  callID: string;
  input: unknown;
  result: ExpectedResult | undefined;
}

/** Ending of a call; a call without one was cut off by the end of its process. */
export interface ExpectedResult {
  status: "completed" | "error" | "interrupted";
  output: string;
  attachmentMimes: readonly string[];
}

export type Expected = ExpectedUser | ExpectedText | ExpectedCall;

/** Returns the expected content of the session's transcript, in the order of the export: messages, and parts within them. */
export function expectedEntries(session: ExportedSession): Expected[] {
  return session.messages.flatMap((message, messageIndex) => {
    const inOrder = message.parts.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    if (message.info.role === "user") return expectedUser(message, messageIndex, inOrder);
    return inOrder.flatMap((part) => expectedOfPart(part, messageIndex));
  });
}

function expectedUser(message: ExportedMessage, messageIndex: number, parts: ExportedPart[]): ExpectedUser[] {
  const [first] = parts;
  if (!first) return [];
  const visible = parts.flatMap((part) =>
    part.type === "text" && !part.synthetic && !part.ignored ? [part.text] : [],
  );
  const optional = parts.every((part) => part.type === "compaction");
  const place = { messageID: message.info.id, messageIndex, partID: first.id };
  return [{ kind: "user", ...place, content: visible.join("\n"), parts, optional }];
}

function expectedOfPart(part: ExportedPart, messageIndex: number): Expected[] {
  const place = { messageID: part.messageID, messageIndex, partID: part.id };
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ kind: "assistant", ...place, content: part.text }];
    case "reasoning":
      return part.text === "" ? [] : [{ kind: "reasoning", ...place, content: part.text }];
    case "tool": {
      const { tool, callID, state } = part;
      return [{ kind: "call", ...place, tool, callID, input: state.input, result: expectedResult(part) }];
    }
    default:
      return [];
  }
}

function expectedResult({ state }: ExportedToolPart): ExpectedResult | undefined {
  const attachmentMimes = (state.attachments ?? []).map(({ mime }) => mime);
  if (state.status === "completed") return { status: "completed", output: wholeOutput(state), attachmentMimes };
  if (state.status !== "error") return undefined;
  const status = state.metadata?.["interrupted"] === true ? "interrupted" : "error";
  return { status, output: state.error ?? "", attachmentMimes };
}

/** The output, from the file where the host keeps what it cut off, unless that is too large to be recorded. */
function wholeOutput(state: ExportedToolPart["state"]): string {
  const path = state.metadata?.["outputPath"];
  const isCut = state.metadata?.["truncated"] === true && typeof path === "string" && existsSync(path);
  if (isCut && statSync(path).size > MAX_OUTPUT_BYTES) return state.output ?? "";
  return isCut ? readFileSync(path, "utf8") : (state.output ?? "");
}
