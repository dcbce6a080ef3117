/**
 * What a summary forgets can be found again: the real opencode asks the scripted model for a summary, with our line in
 * the prompt; the model keeps it, and looks things up with it in the next turn. Needs `dist/`.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { call, text, type ModelScript } from "../support/host/model-script.ts";
import { startModel, type ModelServer } from "../support/host/model.ts";
import { openTheatre, type Theatre } from "../support/host/stage.ts";
import { afterAll, describe, test } from "../support/runner.ts";

const TIMEOUT_MS = 120_000;
const LINE =
  /The full transcript of this session is '([^'\n]+)'; [^\n]* with (grep -n -i -F -e WORD '[^'\n]+')(?: or the tool find_in_transcripts)?\./;

/** Keeps the line that the prompt asks it to keep, and nothing else. */
const keepLine: ModelScript = ({ texts }) => [text(LINE.exec(texts.join("\n"))?.[0] ?? "Nothing is left.")];

/** Runs the command that stands in the summary, with a word of its own. */
const lookUp: ModelScript = ({ index, texts }) => {
  const command = (LINE.exec(texts.join("\n"))?.[2] ?? "echo no line").replace("WORD", "heron");
  const steps = [
    [call("bash", { command, description: "looks it up" }, { id: "call-grep" })],
    [call("find_in_transcripts", { query: "password of the gate" }, { id: "call-find" })],
    [text("Found.")],
  ];
  return steps[index] ?? [text("Done.")];
};

const SCRIPTS: Record<string, ModelScript> = {
  talk: [[text("The heron said that the password of the gate is swordfish-in-winter.")]],
  "talk-summary": keepLine,
  "look-up": lookUp,
  plain: [[text("Nothing much.")]],
  "plain-summary": [[text("Nothing much was said.")]],
};

let model: Promise<ModelServer> | undefined;
const theatres: Theatre[] = [];

async function open(
  options: Record<string, unknown>,
): Promise<{ theatre: Theatre; requests: ModelServer["requests"] }> {
  model ??= startModel(SCRIPTS);
  const server = await model;
  const theatre = await openTheatre(server, { options });
  theatres.push(theatre);
  return { theatre, requests: server.requests };
}

/** The session's last request for a summary, as one text. */
function summaryRequest(requests: ModelServer["requests"], sessionID: string): string {
  const request = requests.findLast((each) => each.kind === "summary" && each.sessionID === sessionID);
  assert(request, "no summary was asked for");
  return request.messages.map((message) => message.text).join("\n");
}

describe("a summary of the real opencode", () => {
  for (const format of ["markdown", "jsonl"] as const) {
    test(
      `keeps the path of the transcript, where the next turn finds what the summary left out (${format})`,
      () => found(format),
      TIMEOUT_MS,
    );
  }

  test("has no path of the transcript if the option is off", untold, TIMEOUT_MS);

  afterAll(async () => {
    // A test that failed has left its server running.
    await Promise.all(theatres.map((theatre) => theatre.close()));
    await Promise.all(theatres.map((theatre) => theatre.remove()));
    await (await model)?.close();
  });
});

async function found(format: "markdown" | "jsonl"): Promise<void> {
  const { theatre, requests } = await open({ format });
  const { client } = theatre.stage;
  const { id } = await client.createSession();
  await client.prompt(id, "scenario:talk please");
  await client.summarize(id);
  await client.idle(id);
  const asked = summaryRequest(requests, id);
  const [line, path = ""] = LINE.exec(asked) ?? [];
  assert(line, asked.slice(-2_000));
  assert(path.endsWith(format === "jsonl" ? `${id}.jsonl` : `${id}.md`) && existsSync(path), path);
  assert.equal(asked.split("The full transcript of this session is").length, 2, "it is said once");

  await client.prompt(id, "scenario:look-up please");
  const last = requests.findLast((each) => each.kind === "answer" && each.sessionID === id);
  const answers = new Map((last?.messages ?? []).map((message) => [message.callID, message.text]));
  // The conversation itself has it no more.
  const said = (last?.messages ?? []).filter(({ role }) => role !== "tool").map((message) => message.text);
  assert(!said.join("\n").includes("swordfish-in-winter"));
  assert.match(answers.get("call-grep") ?? "", /heron said that the password of the gate is swordfish-in-winter/);
  assert.match(answers.get("call-find") ?? "", /password of the gate is swordfish-in-winter/);
  await theatre.close();
}

async function untold(): Promise<void> {
  const { theatre, requests } = await open({ compactionHint: false });
  const { client } = theatre.stage;
  const { id } = await client.createSession();
  await client.prompt(id, "scenario:plain please");
  await client.summarize(id);
  await client.idle(id);
  assert(!summaryRequest(requests, id).includes("full transcript"));
  await theatre.close();
}
