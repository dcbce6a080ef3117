import { call, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

const run = (command: string) => call("bash", { command, description: command }, { id: "call_same" });

/** Two sessions at once with the same call ids, and each of them uses its id twice. */
export const scenario: Scenario = {
  name: "same-call-id",
  scripts: {
    "same-call-id-a": [[run("sleep 0.5; echo A1")], [run("echo A2")], [text("A is done.")]],
    "same-call-id-b": [[run("sleep 0.3; echo B1")], [run("exit 4")], [text("B is done.")]],
  },
  async drive({ client }) {
    const [a, b] = await Promise.all([client.createSession(), client.createSession()]);
    await Promise.all([
      client.prompt(a.id, "scenario:same-call-id-a please"),
      client.prompt(b.id, "scenario:same-call-id-b please"),
    ]);
    return [a.id, b.id];
  },
};
