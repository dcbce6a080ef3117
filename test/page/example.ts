/** A session with one of everything that a page shows, some of it unpleasantly long. */
import type { PageSession } from "../../src/render/html/outline.ts";
import { MadeSession } from "./made-sessions.ts";

/** Stands in the output of a call, which is closed. */
export const NEEDLE = "needle-in-a-closed-call";
/** Stands in a call of a subagent: two closed elements around it. */
export const DEEP_NEEDLE = "needle-of-the-subagent";

const LONG_WORD = "a".repeat(3_000);
const WIDE_TABLE = `| ${"column | ".repeat(30)}\n| ${"--- | ".repeat(30)}\n| ${"cell | ".repeat(30)}`;
const CODE = `Text with \`code\`, a [link](https://example.org/), and\n\n\`\`\`ts\nconst line = "${"x".repeat(400)}";\n\`\`\``;
/** A red pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQI12P4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC";

export async function exampleSession(): Promise<PageSession> {
  const session = await main().session([await subagent()]);
  const bytes = new Uint8Array(Buffer.from(PIXEL, "base64"));
  return { ...session, readImage: () => Promise.resolve({ mediaType: "image/png", bytes }) };
}

function main(): MadeSession {
  const made = new MadeSession();
  made.line({ type: "custom-title", customTitle: "Fixing the parser" });
  made.line({ type: "summary", summary: "What was done before", leafUuid: "u0" });
  made.user(`Please fix the parser.\nIt breaks on **empty** lines. ${LONG_WORD}`);
  made.assistant([
    { type: "thinking", thinking: "An empty line has no type." },
    { type: "thinking", thinking: "", signature: "s" },
    { type: "text", text: `# Plan\n\n- [x] read\n- [ ] fix\n\n> as said\n\n${WIDE_TABLE}\n\n${CODE}` },
  ]);
  made.call("c1", "Read", { file_path: "/home/me/project/src/parser.ts", limit: 20 });
  made.result("c1", `1\tconst a = 1;\n2\t// ${NEEDLE}\n${LONG_WORD}`);
  made.call("c2", "Edit", {
    file_path: "/home/me/project/src/parser.ts",
    old_string: "a\nb\nc",
    new_string: "a\nB\nc",
  });
  made.result("c2", "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>", true);
  made.call("c3", "Bash", { command: `npm test -- ${LONG_WORD}`, description: "Run the tests", timeout: 60_000 });
  made.result("c3", "Exit code 1\n\u001b[31mFAIL\u001b[0m parser.test.ts", true);
  made.call("c4", "Bash", { command: "rm -rf dist" });
  made.result("c4", "The user doesn't want to proceed with this tool use. The tool use was rejected", true);
  made.user("[Request interrupted by user]");
  made.user([
    { type: "text", text: "Ask an agent for it." },
    { type: "image", source: { media_type: "image/png" } },
  ]);
  made.call("c5", "Task", { description: "Look for tests", prompt: "Find the tests.\nAll of them." });
  made.result("c5", "There are two.", false, { toolUseResult: { agentId: "a1" } });
  made.damaged('{"type":"user","message":{');
  made.call("c6", "TodoWrite", { todos: [{ content: "Fix", status: "in_progress" }] });
  made.assistant("API Error: overloaded", { isApiErrorMessage: true });
  return made.line({ type: "system", subtype: "turn_duration", durationMs: 61_000 });
}

function subagent(): Promise<PageSession> {
  const made = new MadeSession({ agentId: "a1", isSidechain: true });
  made.user("Find the tests.").call("d1", "Grep", { pattern: "describe\\(", path: "/home/me/project/test" });
  made.result("d1", `test/parser.test.ts: ${DEEP_NEEDLE}`);
  return made.assistant("There are **two**.").session();
}
