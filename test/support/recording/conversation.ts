/** Made-up conversations as plain data, and what a host has to say about them. */
import {
  after,
  before,
  call,
  COMPLETED,
  completed,
  delta,
  failed,
  hook,
  message,
  messageInfo,
  openText,
  part,
  PENDING,
  running,
  stepFinish,
  STARTED,
  ENDED,
  userText,
  wholeText,
  type CallPlace,
  type HostStep,
} from "./host-steps.ts";

export interface Conversation {
  sessionID: string;
  messages: Message[];
}

export type Message = UserMessage | AssistantMessage;

export interface UserMessage {
  role: "user";
  id: string;
  parts: { id: string; text: string; synthetic: boolean }[];
  /** Whether the host calls the hook `chat.message` for it. */
  hasHook: boolean;
}

export interface AssistantMessage {
  role: "assistant";
  id: string;
  parts: (TextPart | CallPart)[];
  finishID: string;
}

export interface TextPart {
  kind: "text" | "reasoning";
  id: string;
  /** As it is streamed. */
  deltas: string[];
  /** As it stands in the end; mostly, but not always, the deltas joined. */
  text: string;
}

export interface CallPart {
  kind: "call";
  id: string;
  callID: string;
  tool: string;
  input: unknown;
  end: { status: "completed"; output: string } | { status: "error"; error: string };
  /** Records of the running call before its end. */
  runs: number;
  /** Whether the hooks are called for it. */
  hasHooks: boolean;
}

/** Actions of a host for one part, in order. The steps of several parts may mix. */
export interface Stream {
  /** Steps that come before anything of the next part. */
  first: HostStep[];
  /** Steps that come in this order, before the message ends. */
  rest: HostStep[];
  /** Steps that come at any time behind the first ones. */
  loose: HostStep[];
}

export function userSteps(sessionID: string, { id, parts, hasHook }: UserMessage): HostStep[] {
  const raw = parts.map((each) => ({
    id: each.id,
    sessionID,
    messageID: id,
    type: "text",
    text: each.text,
    ...synthetic(each),
  }));
  const info = messageInfo(sessionID, id, "user");
  return [
    ...(hasHook ? [hook("chat.message", { sessionID, agent: "build" }, { message: info, parts: raw })] : []),
    message(sessionID, id, "user"),
    ...parts.map((each) => userText({ sessionID, messageID: id, id: each.id }, each.text, synthetic(each))),
  ];
}

function synthetic(each: { synthetic: boolean }): object {
  return each.synthetic ? { synthetic: true } : {};
}

export function streamOf(sessionID: string, messageID: string, each: TextPart | CallPart): Stream {
  const place = { sessionID, messageID, id: each.id };
  if (each.kind !== "call") {
    const [firstDelta, ...more] = each.deltas.map((text) => delta(place, text));
    return {
      first: [openText(place, "", each.kind), ...(firstDelta ? [firstDelta] : [])],
      rest: [...more, wholeText(place, each.text, each.kind)],
      loose: [],
    };
  }
  const { input, end, runs, hasHooks } = each;
  const at: CallPlace = { ...place, callID: each.callID, tool: each.tool };
  const ended = end.status === "completed" ? completed(input, end.output) : failed(input, end.error);
  const states = Array.from({ length: runs }, (_, n) => call(at, running(input, { output: "x".repeat(n) })));
  return {
    // Models give their calls one after the other: the arguments are known before the next part begins.
    first: [call(at, PENDING), hasHooks ? before(at, input) : call(at, running(input))],
    rest: [...states, call(at, ended)],
    // The hook of a good end comes about when the end does, before or after it; of a bad end there is none.
    loose: hasHooks && end.status === "completed" ? [after(at, input, end.output)] : [],
  };
}

/** The steps of a message in the order in which a well-behaved host does them. */
export function plainSteps(sessionID: string, each: Message): HostStep[] {
  if (each.role === "user") return userSteps(sessionID, each);
  return [
    ...beginning(sessionID, each),
    ...each.parts.flatMap((one) => {
      const { first, rest, loose } = streamOf(sessionID, each.id, one);
      return [...first, ...rest.slice(0, -1), ...loose, ...rest.slice(-1)];
    }),
    ...ending(sessionID, each),
  ];
}

export function beginning(sessionID: string, { id }: AssistantMessage): HostStep[] {
  return [message(sessionID, id, "assistant"), part({ sessionID, messageID: id, id: `${id}-start` }, "step-start", {})];
}

export function ending(sessionID: string, { id, finishID }: AssistantMessage): HostStep[] {
  return [stepFinish({ sessionID, messageID: id, id: finishID }), message(sessionID, id, "assistant", COMPLETED)];
}

/** The conversation as the host stores and exports it: `[{ info, parts }]`. */
export function stored({ sessionID, messages }: Conversation): { info: object; parts: object[] }[] {
  return messages.map((each) => {
    const place = { sessionID, messageID: each.id };
    if (each.role === "user") {
      const parts = each.parts.map((one) => ({
        ...place,
        id: one.id,
        type: "text",
        text: one.text,
        ...synthetic(one),
      }));
      return { info: messageInfo(sessionID, each.id, "user"), parts };
    }
    const tokens = { input: 10, output: 2, reasoning: 0, cache: { read: 0, write: 0 } };
    const finish = { ...place, id: each.finishID, type: "step-finish", reason: "stop", cost: 0.01, tokens };
    return {
      info: messageInfo(sessionID, each.id, "assistant", COMPLETED),
      parts: [...each.parts.map((one) => ({ ...place, id: one.id, ...storedPart(one) })), finish],
    };
  });
}

function storedPart(each: TextPart | CallPart): object {
  if (each.kind !== "call") return { type: each.kind, text: each.text, ...STARTED, ...ENDED };
  const { callID, tool, input, end } = each;
  return {
    type: "tool",
    callID,
    tool,
    state: end.status === "completed" ? completed(input, end.output) : failed(input, end.error),
  };
}

/**
 * What a transcript has to hold, in short form: all but the results in the order of the conversation, and the results,
 * of which the order is open.
 */
export function expected({ messages }: Conversation): { told: string[]; results: string[] } {
  const told: string[] = [];
  const results: string[] = [];
  for (const each of messages) {
    if (each.role === "user") {
      told.push(
        `user: ${each.parts
          .filter((one) => !one.synthetic)
          .map(({ text }) => text)
          .join("\n")}`,
      );
      continue;
    }
    for (const one of each.parts) {
      if (one.kind === "call") {
        const input = JSON.stringify(one.input);
        told.push(`use: ${one.tool} ${input}`);
        results.push(
          one.end.status === "completed" ? `completed: ${input} ${one.end.output}` : `error: ${input} ${one.end.error}`,
        );
      } else if (one.text !== "") {
        told.push(`${one.kind === "text" ? "assistant" : "reasoning"}: ${one.text}`);
      }
    }
  }
  return { told, results };
}
