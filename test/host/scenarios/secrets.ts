import assert from "node:assert/strict";
import { call, text } from "../../support/host/model-script.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** Put together here, so that no scanner takes this file for a leak. */
const SECRET = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");

/** A secret that a tool prints and the model repeats, in many pieces: it never reaches the disk. */
export const scenario: Scenario = {
  name: "secrets",
  scripts: {
    secrets: [
      [call("bash", { command: `echo GITHUB_TOKEN=${SECRET}`, description: "shows the token" })],
      [text(`The token is ${SECRET}, keep it.`, { pieces: 20, delayMs: 5 })],
    ],
  },
  drive: (stage) => promptOnce(stage, "secrets"),
  adjust: (exported) => exported.replaceAll(SECRET, "[REDACTED:github-token]"),
  check([recorded]) {
    assert(recorded);
    assert.equal(recorded.transcripts.size, 2);
    for (const { text } of recorded.transcripts.values()) {
      assert(!text.includes(SECRET.slice(8)), "the secret is in the transcript");
    }
  },
};
