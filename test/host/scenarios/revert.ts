import assert from "node:assert/strict";
import { call, text } from "../../support/host/model-script.ts";
import { entriesOf, type Scenario } from "../../support/host/scenario.ts";

/** The user goes back before a prompt and asks for something else. What was said stays in the transcript. */
export const scenario: Scenario = {
  name: "revert",
  scripts: {
    "revert-one": [[text("One.")]],
    "revert-two": [
      [text("Two, with a call."), call("bash", { command: "echo two", description: "two" })],
      [text("Two.")],
    ],
    "revert-three": [[text("Three.")]],
  },
  async drive({ client }) {
    const session = await client.createSession();
    await client.prompt(session.id, "scenario:revert-one please");
    await client.prompt(session.id, "scenario:revert-two please");
    await client.revert(session.id, await client.lastPrompt(session.id));
    await client.prompt(session.id, "scenario:revert-three please");
    return [session.id];
  },
  dropped: [
    { type: "user", content: "scenario:revert-two please" },
    { type: "assistant", content: "Two, with a call." },
    { type: "tool_use", tool: "bash" },
    { type: "tool_result", tool: "bash" },
    { type: "assistant", content: "Two." },
  ],
  check([recorded]) {
    assert(recorded);
    const names = entriesOf(recorded, "session_event").map(({ name }) => name);
    assert.equal(names.filter((name) => name === "revert").length, 1);
    assert.equal(names.filter((name) => name === "removed").length, 1);
    assert(names.indexOf("revert") < names.indexOf("removed"));
  },
};
