/**
 * The tools that read sessions back, called by the scripted model in the real opencode: what the host sends of them to
 * the model, and what comes back. Needs `dist/`.
 */
import assert from "node:assert/strict";
import { call, text, type ModelScript } from "../support/host/model-script.ts";
import { startModel, type ModelServer } from "../support/host/model.ts";
import { openTheatre, type Theatre } from "../support/host/stage.ts";
import { afterAll, describe, test } from "../support/runner.ts";

const TIMEOUT_MS = 120_000;
/** Maximum cost of all tools that are offered by default, in tokens per request. */
const MAX_TOKENS = 2_000;
/** JSON has at least so many characters a token in common tokenizers; schemas have some 4. */
const CHARS_PER_TOKEN = 3.5;

const SCRIPTS: Record<string, ModelScript> = {
  earlier: [
    [text("The heron stands in the reeds."), call("bash", { command: "ls /nowhere/heron", description: "looks" })],
    [text("It is gone.")],
  ],
  recall: [
    [call("find_in_transcripts", { query: "heron stands", limit: null }, { id: "call-find" })],
    [call("read_session", { session: "latest", max_chars: "8000" }, { id: "call-read" })],
    [call("list_sessions", { limit: 5 }, { id: "call-list" })],
    [call("read_session", { last: 1, with_tools: true }, { id: "call-current" })],
    [call("read_session", { session: "ses_nosuchsession" }, { id: "call-unknown" })],
    [
      call(
        "extract_snippet",
        {
          snippet_type: "learning_pattern",
          title: "Herons",
          content:
            "Herons stand in the reeds until somebody looks for them with a command; then they are gone. ".repeat(2),
        },
        { id: "call-keep" },
      ),
    ],
    [call("query_snippets", { keyword: "herons" }, { id: "call-query" })],
    [text("That is all.")],
  ],
};

describe("the recall tools in the real opencode", () => {
  test("work, cost little context, and leave the host alone", judge, TIMEOUT_MS);

  afterAll(async () => {
    // A test that failed has left its server running.
    await theatre?.close();
    await theatre?.remove();
    await model?.close();
  });
});

let model: ModelServer | undefined;
let theatre: Theatre | undefined;

async function judge(): Promise<void> {
  model = await startModel(SCRIPTS);
  theatre = await openTheatre(model, { options: { format: "markdown" } });
  const { client } = theatre.stage;
  const earlier = await client.createSession();
  await client.prompt(earlier.id, "scenario:earlier please");
  const session = await client.createSession();
  await client.prompt(session.id, "scenario:recall please");
  judgeCost(model);
  const answers = answersTo(model, session.id);
  const of = (id: string): string => answers.get(id) ?? `no answer to ${id}`;

  assert.match(of("call-find"), /^Passages 1 to \d+/);
  assert.match(of("call-find"), new RegExp(`Session ${earlier.id}`));
  assert.match(of("call-find"), /^\[\d+\] assistant, \d{4}-\d\d-\d\d \d\d:\d\d: .*heron stands/im);
  assert.match(of("call-list"), new RegExp(earlier.id));
  assert.match(of("call-list"), new RegExp(session.id));
  assert.match(of("call-current"), new RegExp(`^Session ${session.id}`));
  assert.match(of("call-current"), /> find_in_transcripts/);
  assert.match(
    of("call-unknown"),
    /read_session failed\. No session has an id that begins with "ses_nosuchsession".*list_sessions/,
  );
  assert.match(of("call-keep"), /"snippet_id": "[\w-]{36}",\s+"session_id": .*\s+"snippet_type": "learning_pattern"/);
  assert.match(of("call-query"), /"total_count": 1,/);
  await theatre.close();
}

/** The tools of ours as the host sent them with its last request. */
function judgeCost({ requests }: ModelServer): void {
  const sent = requests.findLast(({ kind }) => kind === "answer")?.definitions ?? [];
  const names = [
    "save_conversation",
    "find_in_transcripts",
    "read_session",
    "list_sessions",
    "extract_snippet",
    "query_snippets",
  ];
  const ours = sent.filter(({ name }) => names.includes(name));
  assert.deepEqual(ours.map(({ name }) => name).toSorted(), names.toSorted());
  const costs = ours.map(({ name, json }) => [name, Math.ceil(json.length / CHARS_PER_TOKEN)] as const);
  const sum = costs.reduce((total, [, tokens]) => total + tokens, 0);
  console.log(`definitions: ${sum} tokens in all (${costs.map((cost) => cost.join(" ")).join(", ")})`);
  if (process.env["SHOW"]) for (const { json } of ours) console.log(json);
  assert(sum <= MAX_TOKENS, `the definitions cost ${sum} tokens`);
}

/** Returns the results of calls that the host gave the model, by the id of the call. */
function answersTo({ requests }: ModelServer, sessionID: string): Map<string, string> {
  const last = requests.findLast((request) => request.kind === "answer" && request.sessionID === sessionID);
  return new Map((last?.messages ?? []).flatMap(({ callID, text }) => (callID === undefined ? [] : [[callID, text]])));
}
