/** Small conversations for tests that are about something else. */
import { expected, plainSteps, type Conversation, type Message } from "./conversation.ts";
import { session, type HostStep } from "./host-steps.ts";

/** A conversation of so many turns: a prompt, a call with its result, an answer each. Its texts name session and turn. */
export function sampleConversation(sessionID: string, turns = 1, from = 0): Conversation {
  const messages = Array.from({ length: turns }, (_, at): Message[] => {
    const n = String(from + at).padStart(4, "0");
    const what = `${sessionID} ${n}`;
    return [
      {
        role: "user",
        id: `msg_${n}_1`,
        hasHook: true,
        parts: [{ id: `prt_${n}_1`, text: `Ask ${what}`, synthetic: false }],
      },
      {
        role: "assistant",
        id: `msg_${n}_2`,
        finishID: `prt_${n}_9`,
        parts: [
          { kind: "reasoning", id: `prt_${n}_2`, deltas: ["Hm, ", what], text: `Hm, ${what}` },
          { kind: "text", id: `prt_${n}_3`, deltas: ["Look ", what], text: `Look ${what}` },
          {
            kind: "call",
            id: `prt_${n}_4`,
            callID: "call_0",
            tool: "bash",
            input: { command: `echo ${what}` },
            end: { status: "completed", output: `Out ${what}` },
            runs: 1,
            hasHooks: true,
          },
        ],
      },
      {
        role: "assistant",
        id: `msg_${n}_3`,
        finishID: `prt_${n}_b`,
        parts: [{ kind: "text", id: `prt_${n}_a`, deltas: [`Done ${what}`], text: `Done ${what}` }],
      },
    ];
  });
  return { sessionID, messages: messages.flat() };
}

/** The steps of a conversation in plain order. */
export function stepsOf({ sessionID, messages }: Conversation): HostStep[] {
  return messages.flatMap((each) => plainSteps(sessionID, each));
}

/** The steps of a new session with such a conversation. */
export function newSession(sessionID: string, turns = 1, info: object = {}): HostStep[] {
  return [session("created", sessionID, info), ...stepsOf(sampleConversation(sessionID, turns))];
}

/** The short forms that a transcript of the conversation has. */
export function toldBy(conversation: Conversation): string[] {
  return conversation.messages.flatMap((each) => {
    const { told, results } = expected({ sessionID: conversation.sessionID, messages: [each] });
    return [...told, ...results];
  });
}
