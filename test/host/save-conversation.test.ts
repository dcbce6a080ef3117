/**
 * save_conversation called by the scripted model in the real opencode: from a root session and from a subagent, with
 * and without `compact`. Every recall command of the files that it writes is run. Needs `dist/`.
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseExport, type ExportedSession } from "../support/host/export.ts";
import type { OpencodeClient } from "../support/host/client.ts";
import { field, list } from "../support/host/fields.ts";
import { call, text, type ModelAction, type ModelScript } from "../support/host/model-script.ts";
import { startModel, type ModelServer } from "../support/host/model.ts";
import { exportSession, runOpencode } from "../support/host/process.ts";
import { exportSessions, startOpencode } from "../support/host/opencode.ts";
import { createSandbox, MODEL } from "../support/host/sandbox.ts";
import { openTheatre, type Theatre } from "../support/host/stage.ts";
import { recallOutput, runRecall } from "../support/recall-commands.ts";
import { REPOSITORY } from "../support/repository.ts";
import { afterAll, describe, isLong, test } from "../support/runner.ts";
import { parseJsonlTranscript, parseMarkdownTranscript } from "../support/read-entries.ts";

const TIMEOUT_MS = 180_000;

function work(label: string): readonly ModelAction[] {
  return [
    text(`I work on ${label}.`),
    call("write", { filePath: `${label}.txt`, content: label }),
    call("read", { filePath: "/nowhere/at-all.txt" }),
  ];
}

function save(args: unknown): readonly ModelAction[] {
  return [text("I save."), call("save_conversation", args)];
}

function delegate(marker: string): readonly ModelAction[] {
  const input = {
    description: "the errand",
    prompt: `scenario:${marker} please`,
    subagent_type: "general",
  };
  return [text("I delegate."), call("task", input)];
}

const SCRIPTS: Record<string, ModelScript> = {
  "save-root": [work("root"), save({ note: "Remember the root." }), [text("Saved, and done.")]],
  "save-root-compact": [
    work("compact"),
    save({ compact: true }),
    [text("I go on."), call("bash", { command: "echo after", description: "after" })],
    [text("The last words.")],
  ],
  "save-parent": [delegate("save-child"), [text("The child is done.")]],
  "save-child": [work("child"), save({ note: "Remember the child." }), [text("The child's result.")]],
  "save-parent-compact": [delegate("save-child-compact"), [text("The compact child is done.")]],
  "save-child-compact": [work("child-compact"), save({ compact: true }), [text("The compact child's result.")]],
  before: [work("before"), [text("That was before.")]],
  "save-later": [save({}), [text("Saved late.")]],
  "save-run": [work("run"), save({ compact: true }), [text("Run is done.")]],
};

interface Played {
  project: string;
  /** What the model answered at the end, by marker. */
  sessions: Map<string, ExportedSession>;
}

let model: Promise<ModelServer> | undefined;
const theatres: Theatre[] = [];

async function play(format: "jsonl" | "both"): Promise<Played> {
  model ??= startModel(SCRIPTS);
  const theatre = await openTheatre(await model, { options: { format } });
  theatres.push(theatre);
  const { stage } = theatre;
  const { client, feed, sandbox } = stage;
  await judgeOffer(client);
  const ids = new Map<string, string>();
  const drive = async (marker: string, child?: string): Promise<void> => {
    const { id } = await client.createSession();
    ids.set(marker, id);
    await client.prompt(id, `scenario:${marker} please`);
    const [childID] = (await client.family(id)).slice(1);
    if (child !== undefined && childID !== undefined) ids.set(child, childID);
    const compacted = marker.endsWith("-compact") ? (childID ?? id) : undefined;
    if (compacted === undefined) return;
    await feed.waitFor(
      ({ type, properties }) => type === "session.compacted" && field(properties, "sessionID") === compacted,
    );
    await client.idle(compacted);
  };
  await Promise.all([
    drive("save-root"),
    drive("save-root-compact"),
    drive("save-parent", "save-child"),
    drive("save-parent-compact", "save-child-compact"),
  ]);
  await theatre.close();
  const exports = await exportSessions(sandbox, [...ids.values()]);
  const sessions = [...ids.keys()].map((marker, at) => [marker, parseExport(JSON.parse(exports[at] ?? ""))] as const);
  return { project: sandbox.projectDir, sessions: new Map(sessions) };
}

/** The model is told what the tool and its arguments are for. */
async function judgeOffer(client: OpencodeClient): Promise<void> {
  const { providerID, modelID } = MODEL;
  const offered = list(await client.request("GET", `/experimental/tool?provider=${providerID}&model=${modelID}`));
  const tool = offered.find((candidate) => field(candidate, "id") === "save_conversation");
  assert.match(String(field(tool, "description")), /^Saves this conversation/);
  const properties = field(field(tool, "parameters"), "properties");
  assert.match(String(field(field(properties, "note"), "description")), /^What to remember/);
  assert.match(String(field(field(properties, "compact"), "description")), /^Also summarize the conversation/);
}

/** The saved file of each session, by session id. */
async function savedFiles(project: string): Promise<Map<string, string>> {
  const folder = join(project, ".openfleet", "sessions");
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".md"));
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  for (const name of names) assert.match(name, /^\d{4}-\d\d-\d\d[/\\]\d{3}_[\p{L}\p{N}-]+\.md$/u);
  assert.equal(new Set(names.map((name) => /(\d{3})_/.exec(name)?.[1])).size, names.length, "a number stands twice");
  return new Map(files.map((file) => [/\*\*Session ID\*\*: `(\w+)`/.exec(file)?.[1] ?? "", file]));
}

describe("save_conversation in the real opencode", () => {
  for (const format of isLong ? (["both", "jsonl"] as const) : (["both"] as const)) {
    test(`recorded as ${format}`, async () => judge(await play(format), format), TIMEOUT_MS);
  }

  test("opencode run ends with its turn and starts no summary", runOnce, TIMEOUT_MS);

  test("saves all of a session that began before the plugin was installed", addedLater, TIMEOUT_MS);

  afterAll(async () => {
    if (!process.env["KEEP_SANDBOX"]) await Promise.all(theatres.map((theatre) => theatre.remove()));
    await (await model)?.close();
  });
});

async function judge({ project, sessions }: Played, format: string): Promise<void> {
  const files = await savedFiles(project);
  assert.equal(files.size, 4);
  const extension = format === "jsonl" ? "jsonl" : "md";
  for (const marker of ["save-root", "save-root-compact", "save-child", "save-child-compact"]) {
    const session = sessions.get(marker);
    assert(session, marker);
    const { id, parentID } = session.info;
    const file = files.get(id);
    assert(file, `${marker} was not saved`);
    const transcripts = join(project, ".openfleet", "transcripts", parentID ?? "");
    await judgeFile(file, marker, join(transcripts, `${id}.${extension}`));
    assert.equal(file.includes(`- **Parent session**: \`${parentID}\``), parentID !== undefined);
  }
  judgeCompaction(sessions);
}

async function judgeFile(file: string, marker: string, transcript: string): Promise<void> {
  const label = marker.replace(/^save-(root-)?/, "");
  assert(file.includes(`- **Transcript**: \`${transcript}\``), file);
  // The message that saves may be in the transcript at that moment, or not yet.
  assert.match(file, /^- \*\*Messages\*\*: (2 \(1 user, 1 assistant\)|3 \(1 user, 2 assistant\))$/m);
  assert.match(file, /^- \*\*Tool calls\*\*: [23] \(1 failed\)$/m);
  assert.match(file, /^- \*\*Models\*\*: `scripted\/scripted-model`$/m);
  assert.match(file, /^- \*\*Tokens\*\*: [1-9]\d* in, [1-9]\d* out, /m);
  assert.match(file, /^- \*\*Cost\*\*: \$0\.\d{4}$/m);
  assert.match(file, /^- `read`: File not found: \/nowhere\/at-all\.txt$/m);
  assert(file.includes(`\n- \`${label}.txt\` (changed)\n`), file);
  assert(!/^- `\.openfleet.*\((changed|read)\)$/m.test(file), file);
  assert(file.includes(`\n> I work on ${label}.\n`), file);
  if (!marker.endsWith("-compact")) assert.match(file, /^> Remember the (root|child)\.$/m);
  await judgeRecall(file, transcript);
}

async function judgeRecall(file: string, transcript: string): Promise<void> {
  const content = await readFile(transcript);
  const isJsonl = transcript.endsWith(".jsonl");
  const { entries } = await (isJsonl ? parseJsonlTranscript(content) : parseMarkdownTranscript(content));
  const count = (type: string): number => entries.filter((entry) => entry.type === type).length;
  const outputs = runRecall(file);
  assert.equal(recallOutput(outputs, /^View/), content.toString("utf8"));
  assert.match(recallOutput(outputs, /^Search it \(/), /scenario/);
  assert.equal(recallOutput(outputs, /^Count/), `${count("tool_use")}\n`);
  const users = recallOutput(outputs, /^The user's/);
  assert.equal(users.match(isJsonl ? /^\{"type":"user"/gm : /^## \[.*\] User Message$/gm)?.length, count("user"));
}

/** The summary comes after the turn, which is not cut short by it. */
function judgeCompaction(sessions: ReadonlyMap<string, ExportedSession>): void {
  const ends = (marker: string): (string | undefined)[] =>
    (sessions.get(marker)?.messages ?? []).map(({ parts }) => {
      const last = parts.findLast(({ type }) => type === "text" || type === "compaction");
      return last?.type === "text" ? last.text : last?.type;
    });
  const root = ends("save-root-compact");
  assert.deepEqual(root.slice(-3), ["The last words.", "compaction", "Summary of save-root-compact."]);
  const child = ends("save-child-compact");
  assert.deepEqual(child.slice(-3), ["The compact child's result.", "compaction", "Summary of save-child-compact."]);
  assert.equal(ends("save-parent-compact").at(-1), "The compact child is done.");
  for (const marker of ["save-root", "save-child", "save-parent"]) assert(!ends(marker).includes("compaction"), marker);
}

async function runOnce(): Promise<void> {
  model ??= startModel(SCRIPTS);
  const theatre = await openTheatre(await model);
  theatres.push(theatre);
  await theatre.close();
  const { sandbox } = theatre.stage;
  const { code, stdout, stderr } = await runOpencode(sandbox, ["run", "--format", "json", "scenario:save-run please"]);
  assert.equal(code, 0, stderr);
  const sessionID = /"sessionID":"(ses_\w+)"/.exec(stdout)?.[1] ?? "";
  assert.deepEqual([...(await savedFiles(sandbox.projectDir)).keys()], [sessionID]);
  const { messages } = parseExport(JSON.parse(await exportSession(sandbox, sessionID)));
  const parts = messages.flatMap((message) => message.parts);
  assert(!parts.some(({ type }) => type === "compaction"));
  assert(parts.some((part) => part.type === "text" && part.text === "Run is done."));
}

async function addedLater(): Promise<void> {
  model ??= startModel(SCRIPTS);
  const sandbox = await createSandbox({ modelURL: (await model).url });
  try {
    const before = await startOpencode(sandbox);
    const { id } = await before.client.createSession();
    await before.client.prompt(id, "scenario:before please");
    await before.stop();
    before.feed.close();
    await sandbox.configure([REPOSITORY]);
    const after = await startOpencode(sandbox);
    await after.client.prompt(id, "scenario:save-later please");
    await after.stop();
    after.feed.close();
    const file = (await savedFiles(sandbox.projectDir)).get(id);
    assert(file, "it was not saved");
    assert.match(file, /^- scenario:before please\n- scenario:save-later please$/m);
    assert.match(file, /^> That was before\.$/m);
    assert.match(file, /^- `before\.txt` \(changed\)$/m);
    await judgeRecall(file, join(sandbox.projectDir, ".openfleet", "transcripts", `${id}.md`));
  } finally {
    await sandbox.remove();
  }
}
