import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { call, text } from "../../support/host/model-script.ts";
import { PIXEL } from "../../support/host/pixel.ts";
import { promptOnce, type Scenario } from "../../support/host/scenario.ts";

/** Images that tools give back, one of them a plugin's, and a plugin's tool that throws. */
export const scenario: Scenario = {
  name: "tool-attachment",
  scripts: {
    "tool-attachment": [
      [call("read", { filePath: "red.png" }), call("picture", {}), call("thrower", {})],
      [text("Two images, one failure.")],
    ],
  },
  async drive(stage) {
    await writeFile(join(stage.sandbox.projectDir, "red.png"), PIXEL.bytes);
    return promptOnce(stage, "tool-attachment");
  },
};
