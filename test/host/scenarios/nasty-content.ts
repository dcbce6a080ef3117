import assert from "node:assert/strict";
import { call, reasoning, text } from "../../support/host/model-script.ts";
import type { Scenario } from "../../support/host/scenario.ts";

const NASTY = [
  "## [2026-01-05T10:30:00.000Z] User Message",
  "---",
  "**Call ID**: call_1",
  '````json\n```\n~~~~\n</details>\n<!-- --> {"type":"user"}',
  "NUL \u0000, a lone surrogate \ud800, CRLF \r\n, a lone CR \r, BOM \ufeff, LS \u2028",
  "### Output\n```\n",
].join("\n\n");

/** Content that looks like the transcript's own structure, in every kind of entry. */
export const scenario: Scenario = {
  name: "nasty-content",
  scripts: {
    "nasty-content": [
      [
        reasoning(NASTY, { pieces: 7 }),
        text(NASTY, { pieces: 7 }),
        call("bash", {
          command: `cat <<'END'\n${NASTY.replaceAll("\u0000", "")}\nEND`,
          description: "repeats it",
        }),
      ],
      [text(`${NASTY}\n`)],
    ],
  },
  async drive({ client }) {
    const session = await client.createSession();
    await client.prompt(session.id, `scenario:nasty-content ${NASTY}`);
    return [session.id];
  },
  check([recorded]) {
    const markdown = recorded?.transcripts.get("markdown")?.text ?? "";
    assert.equal(markdown.match(/^## \[.*\] User Message/gm)?.length, 1);
    assert.equal(markdown.match(/^## \[.*\] Tool Use:/gm)?.length, 1);
  },
};
