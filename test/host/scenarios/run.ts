import assert from "node:assert/strict";
import { call, text } from "../../support/host/model-script.ts";
import { runOpencode } from "../../support/host/process.ts";
import type { Sandbox } from "../../support/host/sandbox.ts";
import type { Scenario } from "../../support/host/scenario.ts";

/** `opencode run` twice on one session, while a server works on the same project. */
export const scenario: Scenario = {
  name: "run",
  scripts: {
    run: [[text("I do."), call("bash", { command: "echo do", description: "does" })], [text("Did.")]],
    "run-again": [[text("Again.")]],
  },
  async drive({ sandbox }) {
    const sessionID = await run(sandbox, ["scenario:run please"]);
    assert.equal(await run(sandbox, ["--session", sessionID], "scenario:run-again please"), sessionID);
    return [sessionID];
  },
};

/** Runs to the end and gives the id of the session. */
async function run(sandbox: Sandbox, args: readonly string[], stdin = ""): Promise<string> {
  const { code, stdout, stderr } = await runOpencode(sandbox, ["run", "--format", "json", ...args], stdin);
  assert.equal(code, 0, stderr);
  const sessionID = /"sessionID":"(ses_\w+)"/.exec(stdout)?.[1];
  assert(sessionID, stdout);
  return sessionID;
}
