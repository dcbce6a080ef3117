import assert from "node:assert/strict";
import { call, reasoning, text } from "../../support/host/model-script.ts";
import { entriesOf, type Scenario } from "../../support/host/scenario.ts";

/** A copy of a session with a subagent, which then goes its own way. */
export const scenario: Scenario = {
  name: "fork",
  scripts: {
    fork: [
      [reasoning("Hm."), text("I do."), call("bash", { command: "echo do", description: "does" })],
      [call("task", { description: "look around", prompt: "scenario:fork-child", subagent_type: "general" })],
      [text("Did.")],
    ],
    "fork-child": [[text("The child says hello.")]],
    "fork-next": [[text("On my own way.")]],
  },
  async drive({ client }) {
    const session = await client.createSession();
    await client.prompt(session.id, "scenario:fork please");
    const fork = await client.fork(session.id);
    await client.prompt(fork.id, "scenario:fork-next please");
    return [session.id, fork.id];
  },
  check(recorded) {
    const links = recorded.map((each) => entriesOf(each, "tool_use").flatMap(({ subagent }) => subagent?.path ?? []));
    const [original = [], fork] = links.filter((paths) => paths.length > 0);
    assert.equal(original.length, 1);
    assert.deepEqual(fork, original, "the copied call leads to the same transcript");
  },
};
