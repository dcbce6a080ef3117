/** A made-up opencode session with every kind of part, as the host stores and exports it. */

const SESSION = "ses_made";
const CHILD = "ses_child";
const DOT = "data:image/png;base64,iVBORw0KGgo=";
const START = 1_767_000_000_000;

type Part = Record<string, unknown> & { type: string };

let serial = 0;
const next = (kind: string): string => `${kind}_${String((serial += 1)).padStart(6, "0")}`;
const at = (seconds: number): number => START + seconds * 1_000;

/** Parts get their ids in the order in which they are made. */
function message(role: "user" | "assistant", seconds: number, parts: readonly Part[], more: object = {}): object {
  const id = next("msg");
  const of = { sessionID: SESSION, messageID: id };
  const model = { providerID: "acme", modelID: "vendor/m-1" };
  const time = { created: at(seconds), ...(role === "assistant" ? { completed: at(seconds + 9) } : {}) };
  const own =
    role === "user"
      ? { model }
      : { ...model, mode: "build", path: { cwd: "/project", root: "/project" }, parentID: "msg_0", finish: "stop" };
  return {
    info: { id, sessionID: SESSION, role, agent: "build", time, ...own, ...more },
    parts: parts.map((part) => ({ id: next("prt"), ...of, ...part })),
  };
}

const text = (content: string, more: object = {}): Part => ({ type: "text", text: content, ...more });
const said = (content: string, seconds: number): Part =>
  text(content, { time: { start: at(seconds), end: at(seconds + 1) } });
const thought = (content: string, seconds: number, more: object = {}): Part => ({
  type: "reasoning",
  text: content,
  time: { start: at(seconds), end: at(seconds + 1) },
  ...more,
});
const tool = (name: string, callID: string, seconds: number, state: object): Part => ({
  type: "tool",
  tool: name,
  callID,
  state: { time: { start: at(seconds), end: at(seconds + 1) }, ...state },
});
const step = (input: number, output: number, more: object = {}): Part => ({
  type: "step-finish",
  reason: "stop",
  cost: 0.25,
  tokens: { input, output, reasoning: 3, cache: { read: 5, write: 7 } },
  ...more,
});
const completed = (input: unknown, output: string, more: object = {}): object => ({
  status: "completed",
  input,
  output,
  title: "",
  metadata: {},
  ...more,
});

/** `{ info, messages }`. Every call has ended. */
export function madeSession(): { info: { id: string }; messages: object[] } {
  serial = 0;
  const info = {
    id: SESSION,
    parentID: "ses_parent",
    title: "A made-up session",
    directory: "/project",
    version: "1.18.33",
    time: { created: START, updated: at(500) },
  };
  return { info, messages: [...opening(), ...calls(), ...endings()] };
}

function opening(): object[] {
  return [
    message("user", 1, [
      text("Look at @README.md and at this dot."),
      text("Called the Read tool with the following input: {}", { synthetic: true }),
      { type: "file", mime: "image/png", filename: "dot.png", url: DOT },
      { type: "file", mime: "text/plain", filename: "README.md", url: "file:///project/README.md" },
      text("And be quick."),
      { type: "agent", name: "explore" },
    ]),
    message("assistant", 2, [
      { type: "step-start", snapshot: "abc" },
      thought("Hm.", 3),
      thought("", 3, { metadata: { acme: { encryptedContent: "x" } } }),
      said("I look.", 4),
      tool("read", "call_0", 5, completed({ filePath: "/project/README.md" }, "# Readme", { title: "README.md" })),
      tool("bash", "call_1", 5, {
        status: "error",
        input: { command: "false" },
        error: "It failed.",
        metadata: { exit: 1, output: "…" },
      }),
      step(100, 10, { reason: "tool-calls" }),
      { type: "patch", hash: "abc", files: ["/project/a.ts", "/project/b.ts"] },
    ]),
  ];
}

function calls(): object[] {
  const long = Array.from({ length: 900 }, (_, line) => `line ${line} ## [x] Tool Use: y`).join("\n");
  const task = { description: "look", prompt: "Look around.", subagent_type: "explore" };
  return [
    // The provider numbers its calls anew in each answer.
    message("assistant", 20, [
      tool("task", "call_0", 21, completed(task, "Done.", { metadata: { sessionId: CHILD, summary: ["x"] } })),
      tool("bash", "call_1", 22, completed({ command: "seq 900" }, long, { metadata: { exit: 0, truncated: false } })),
      tool(
        "picture",
        "call_2",
        23,
        completed({}, "one picture", {
          attachments: [{ type: "file", mime: "image/png", filename: "p.png", url: DOT }],
        }),
      ),
      step(1_000, 0),
    ]),
    message("assistant", 40, [
      tool("edit", "call_0", 41, {
        status: "error",
        input: { filePath: "/project/a.ts" },
        error: "The user rejected permission to use this specific tool call.",
      }),
      step(20, 2),
      said("Two steps.", 43),
      step(30, 4),
    ]),
    message("user", 50, [text("Continue if you have next steps.", { synthetic: true })]),
    message("user", 51, [
      { type: "subtask", agent: "explore", command: "review", description: "d", prompt: "Review." },
    ]),
  ];
}

function endings(): object[] {
  const aborted = { name: "MessageAbortedError", data: { message: "Aborted" } };
  return [
    message("user", 60, [{ type: "compaction", auto: true }]),
    message("assistant", 61, [said("The summary.", 62), step(9, 9)], { summary: true, agent: "compaction" }),
    message(
      "assistant",
      70,
      [
        {
          type: "retry",
          attempt: 1,
          error: { name: "APIError", data: { message: "Busy", statusCode: 529, isRetryable: true } },
          time: { created: at(70) },
        },
        said("I beg", 71),
        tool("bash", "call_9", 72, {
          status: "error",
          input: { command: "sleep 9" },
          error: "Tool execution aborted",
          metadata: { interrupted: true },
        }),
      ],
      { error: aborted, finish: undefined },
    ),
    message("user", 80, [text('Quote " and \\ and \n newline, ü, 😀, \u0000.')]),
    message("assistant", 81, [said("Bye.", 82), step(1, 1)]),
  ];
}

export function madeExport(layout: "pretty" | "plain"): string {
  return JSON.stringify(madeSession(), null, layout === "pretty" ? 2 : 0);
}
