/** A made session of opencode 2.x with messages of every type, as its export has them and as its database does. */
const START = 1_790_000_000_000;
const at = (seconds: number) => ({ created: START + seconds * 1_000, completed: START + seconds * 1_000 + 500 });
const tokens = (input: number, output: number) => ({ input, output, reasoning: 0, cache: { read: 0, write: 0 } });
const MODEL = { id: "m1", providerID: "acme" };

export const INFO_2 = {
  id: "ses_two",
  title: "All there is",
  location: { directory: "/p" },
  version: "2.0.14",
  time: { created: START, updated: START + 60_000 },
};

/** `{ metadata }` is what newer versions have, `{ structured }` the preview. */
const SHELL = {
  type: "tool",
  id: "call_shell",
  name: "shell",
  state: {
    status: "completed",
    input: { command: "make test" },
    content: [
      { type: "text", text: "2 failed\n" },
      { type: "text", text: "Command exited with code 2." },
    ],
    metadata: { exit: 2 },
  },
  time: { created: START + 2_000, ran: START + 2_100, completed: START + 2_200 },
};
const SEARCH = {
  ...SHELL,
  id: "call_search",
  state: { status: "completed", input: { command: "grep -r nothing ." }, content: [], structured: { exit: 1 } },
};
const UNKNOWN = {
  ...SHELL,
  id: "call_unknown",
  name: "no_such_tool",
  state: {
    status: "error",
    input: {},
    content: [],
    error: { type: "tool.unknown", message: "Unknown tool: no_such_tool" },
  },
};
const SUBAGENT = {
  ...SHELL,
  id: "call_child",
  name: "subagent",
  state: {
    status: "completed",
    input: { description: "look", prompt: "Look.", agent: "general" },
    content: [{ type: "text", text: "It looked." }],
    metadata: { sessionID: "ses_child", status: "completed" },
  },
};
const ABORTED = {
  ...SHELL,
  id: "call_aborted",
  state: {
    status: "error",
    input: { command: "sleep 9" },
    content: [],
    error: { type: "aborted", message: "Tool execution interrupted" },
  },
};

export const MESSAGES_2: readonly Record<string, unknown>[] = [
  { id: "msg_1", type: "user", time: at(1), text: "Run the tests.", files: [{ mime: "image/png", data: "AAAA" }] },
  {
    id: "msg_2",
    type: "assistant",
    time: at(2),
    agent: "build",
    model: MODEL,
    content: [
      { type: "reasoning", text: "They may fail." },
      { type: "text", text: "I run them." },
      SHELL,
      SEARCH,
      UNKNOWN,
      SUBAGENT,
    ],
    snapshot: { files: ["a.txt"] },
    finish: "tool-calls",
    cost: 0.25,
    tokens: tokens(100, 20),
  },
  { id: "msg_3", type: "synthetic", time: at(3), text: "Remember the rules." },
  { id: "msg_4", type: "agent-switched", time: at(4), agent: "plan" },
  { id: "msg_5", type: "compaction", time: at(5), status: "completed", reason: "auto", summary: "Tests were run." },
  {
    id: "msg_6",
    type: "shell",
    time: at(6),
    shellID: "sh_1",
    command: "ls",
    status: "exited",
    exit: 4,
    output: { output: "x\n" },
  },
  {
    id: "msg_7",
    type: "assistant",
    time: at(7),
    agent: "plan",
    model: MODEL,
    content: [{ type: "text", text: "I wait" }, ABORTED],
    finish: "error",
    error: { type: "aborted", message: "Step interrupted" },
    tokens: tokens(30, 5),
  },
  { id: "msg_8", type: "idle", time: at(8), outcome: "interrupted" },
];

/** The export of `GET /api/experimental/session/{id}/export`. */
export function export2(messages: readonly unknown[] = MESSAGES_2, info: object = INFO_2): string {
  return JSON.stringify({ data: { info, messages } });
}

/** Statements that make the tables of 2.x. */
export const TABLES_2 = [
  `CREATE TABLE session_v2 (id text PRIMARY KEY, parent_id text, directory text, title text, version text,
    fork_session_id text, revert text, time_created integer, time_updated integer)`,
  `CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL)`,
  "CREATE TABLE event (id text PRIMARY KEY, aggregate_id text, seq integer, created integer, type text, data text)",
];

interface Writer {
  run(sql: string, ...values: (string | number | null)[]): void;
}

/** Adds a session to the tables of 2.x. */
export function addStored2(
  database: Writer,
  { id, parent, directory = "/p" }: { id: string; parent?: string; directory?: string },
  messages: readonly Record<string, unknown>[] = MESSAGES_2,
): void {
  const last = START + 60_000;
  database.run(
    "INSERT INTO session_v2 (id, parent_id, directory, title, version, time_created, time_updated) VALUES (?, ?, ?, ?, ?, ?, ?)",
    id,
    parent ?? null,
    directory,
    INFO_2.title,
    INFO_2.version,
    START,
    last,
  );
  for (const [index, { id: messageID, type, ...data }] of messages.entries()) {
    const key = id === INFO_2.id ? String(messageID) : `${String(messageID)}_${id}`;
    const values = [key, id, String(type), index * 10, START + index, START + index, JSON.stringify(data)];
    database.run("INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)", ...values);
  }
}
