import fc from "fast-check";
import type { AssistantMessage, CallPart, Conversation, Message, TextPart, UserMessage } from "./conversation.ts";

/** Any text, often an awkward one. */
const anyText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom(" ", "\n", "## [2026-01-01T00:00:00.000Z] User Message", "---", "\ud800", "\0"),
);
const someText = anyText.filter((text) => text !== "");

const textPart: fc.Arbitrary<Omit<TextPart, "id">> = fc
  .record({
    kind: fc.constantFrom("text" as const, "reasoning" as const),
    deltas: fc.array(someText, { maxLength: 4 }),
    changed: fc.option(someText, { freq: 8 }),
  })
  .map(({ kind, deltas, changed }) => ({
    kind,
    deltas,
    text: deltas.length > 0 && changed !== null ? changed : deltas.join(""),
  }));

const callPart: fc.Arbitrary<Omit<CallPart, "id" | "callID">> = fc.record({
  kind: fc.constant("call" as const),
  tool: fc.constantFrom("bash", "read", "acme_search"),
  input: fc.dictionary(fc.string({ maxLength: 5 }), fc.oneof(anyText, fc.integer(), fc.boolean()), { maxKeys: 3 }),
  end: fc.oneof(
    fc.record({ status: fc.constant("completed" as const), output: anyText }),
    fc.record({ status: fc.constant("error" as const), error: anyText }),
  ),
  runs: fc.integer({ min: 0, max: 3 }),
  hasHooks: fc.boolean(),
});

const answer = fc.array(fc.oneof(textPart, callPart), { maxLength: 5 });
const prompt = fc.record({
  parts: fc.array(fc.record({ text: anyText, synthetic: fc.boolean() }), { minLength: 1, maxLength: 3 }),
  hasHook: fc.boolean(),
});
const turn = fc.record({ prompt, answers: fc.array(answer, { minLength: 1, maxLength: 3 }) });

/**
 * A conversation of up to four turns. Ids ascend; call ids repeat from one answer to the next, as some providers have
 * them.
 */
export function conversationOf(sessionID: string, maxTurns = 4): fc.Arbitrary<Conversation> {
  return fc.array(turn, { minLength: 1, maxLength: maxTurns }).map((turns) => {
    const messages: Message[] = [];
    let serial = 0;
    const next = (kind: string): string => `${kind}_${String(++serial).padStart(6, "0")}`;
    for (const { prompt: asked, answers } of turns) {
      const user: UserMessage = { role: "user", id: next("msg"), parts: [], hasHook: asked.hasHook };
      user.parts = asked.parts.map((each) => ({ id: next("prt"), ...each }));
      messages.push(user);
      for (const parts of answers) {
        const id = next("msg");
        const assistant: AssistantMessage = { role: "assistant", id, parts: [], finishID: "" };
        assistant.parts = parts.map((each, at) =>
          each.kind === "call" ? { id: next("prt"), callID: `call_${at}`, ...each } : { id: next("prt"), ...each },
        );
        assistant.finishID = next("prt");
        messages.push(assistant);
      }
    }
    return { sessionID, messages };
  });
}
