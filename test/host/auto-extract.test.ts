/**
 * With `autoExtract`, the real opencode's session that comes to rest has its suggestions stored, each once: also after a
 * further turn, after a restart, and where `opencode run` ends with its turn. Needs `dist/`.
 */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/store/open-store.ts";
import type { StoredSnippet } from "../../src/store/stored-model.ts";
import { call, text, type ModelScript } from "../support/host/model-script.ts";
import { startModel, type ModelServer } from "../support/host/model.ts";
import { runOpencode } from "../support/host/process.ts";
import type { Sandbox } from "../support/host/sandbox.ts";
import { openTheatre, type Theatre } from "../support/host/stage.ts";
import { afterAll, describe, test } from "../support/runner.ts";

const TIMEOUT_MS = 120_000;

/** A diagnosis, of the kind that the rules take for worth keeping. */
const WHY =
  "It fails because `sumOf` is called before the import of it has run: the file is read as a script, so that the name is " +
  "not defined yet when its first line is reached. The same happens with each file that is started by hand. The import " +
  "has to be at the top, and here the sum is needed once only, so that a constant does as well.";
const RUN = call("bash", { command: "node sum.mjs", description: "Prints the sum" });

const SCRIPTS: Record<string, ModelScript> = {
  mend: [
    [text("I read the file."), call("read", { filePath: "sum.mjs" })],
    [RUN],
    [
      text(WHY),
      call("edit", { filePath: "sum.mjs", oldString: "console.log(sumOf([1, 2]));", newString: "console.log(3);" }),
    ],
    [RUN],
    [text("It is changed.")],
  ],
  again: [[text("Yes, all is well.")]],
};

let model: Promise<ModelServer> | undefined;
const theatres: Theatre[] = [];

/** The snippets of a session, once there are any or after so many looks. */
async function snippetsOf(sandbox: Sandbox, sessionID: string, looks = 60): Promise<StoredSnippet[]> {
  for (let look = 0; ; look += 1) {
    const store = await openStore({ env: sandbox.env, home: sandbox.env["HOME"] ?? "" });
    const { snippets } = await store.querySnippets({ session_id: sessionID, limit: 100, offset: 0 });
    await store.close();
    if (snippets.length > 0 || look >= looks) return snippets;
    await sleep(250);
  }
}

describe("autoExtract in the real opencode", () => {
  test("stores the suggestions of a session once", once, TIMEOUT_MS);
  test("finishes before `opencode run` ends", atTheEnd, TIMEOUT_MS);

  afterAll(async () => {
    // A test that failed has left its server running.
    await Promise.all(theatres.map((theatre) => theatre.close()));
    await Promise.all(theatres.map((theatre) => theatre.remove()));
    await (await model)?.close();
  });
});

/** A project with the file that fails: errors in what a session itself wrote are not worth keeping. */
async function openProject(options: Record<string, unknown>): Promise<Theatre> {
  model ??= startModel(SCRIPTS);
  const theatre = await openTheatre(await model, { options: { autoExtract: true, ...options } });
  theatres.push(theatre);
  await writeFile(join(theatre.stage.sandbox.projectDir, "sum.mjs"), "console.log(sumOf([1, 2]));\n");
  return theatre;
}

async function once(): Promise<void> {
  const theatre = await openProject({ format: "jsonl" });
  const { stage } = theatre;
  const { id } = await stage.client.createSession();
  await stage.client.prompt(id, "scenario:mend please");
  const first = await snippetsOf(stage.sandbox, id);
  assert(first.length > 0, "nothing was stored");
  assert(
    first.some(({ snippet_type }) => snippet_type === "error_reasoning"),
    JSON.stringify(first),
  );
  for (const { metadata, source_line_start } of first) {
    assert.equal(metadata["auto"], true);
    assert(source_line_start !== null);
  }
  const ids = first.map(({ snippet_id }) => snippet_id).toSorted();
  const same = async (what: string): Promise<void> => {
    // Longer than a session rests until its turn counts as ended, and than it then takes.
    await sleep(3_000);
    const now = await snippetsOf(stage.sandbox, id, 0);
    assert.deepEqual(now.map(({ snippet_id }) => snippet_id).toSorted(), ids, what);
  };
  await stage.client.prompt(id, "scenario:again please");
  await same("after another turn");
  await stage.restart();
  await stage.client.prompt(id, "scenario:again please");
  await same("after a restart");
  await theatre.close();
}

async function atTheEnd(): Promise<void> {
  const theatre = await openProject({});
  await theatre.close();
  const { sandbox } = theatre.stage;
  const { code, stdout, stderr } = await runOpencode(sandbox, ["run", "--format", "json", "scenario:mend please"]);
  assert.equal(code, 0, stderr);
  const sessionID = /"sessionID":"(ses_\w+)"/.exec(stdout)?.[1] ?? "";
  assert.equal((await snippetsOf(sandbox, sessionID, 0)).length, 1);
}
