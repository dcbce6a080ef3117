/** The whole recorder with the real formats: three sessions, one of them a subagent's, at one of several paces. */
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { judgedEnd } from "../../src/agents/opencode/opencode-endings.ts";
import { entryKey, TranscriptScanner } from "../../src/transcript/format/formats.ts";
import { createRecorder } from "../../src/transcript/create-recorder.ts";
import type { Recorder } from "../../src/transcript/recorder.ts";
import { randomFrom } from "./random.ts";
import type { CrashFile, CrashRun, CrashSubject } from "./subject.ts";
import { parseJsonlTranscript, parseMarkdownTranscript } from "../support/read-entries.ts";

const SESSIONS = [
  { id: "ses_one", path: "ses_one" },
  { id: "ses_two", path: "ses_two" },
  { id: "ses_child", path: "ses_one/ses_child", parentID: "ses_one" },
] as const;
const EXTENSIONS = [".md", ".jsonl"] as const;
type Session = (typeof SESSIONS)[number];

/** Number of rounds, of calls in each, and the sizes of their outputs. */
const PACES = [
  { everyMs: 1, calls: 1, minChars: 100, maxChars: 2_000 },
  { everyMs: 15, calls: 20, minChars: 100, maxChars: 4_000 },
  { everyMs: 20, calls: 1, minChars: 20_000, maxChars: 200_000 },
] as const;

const subject: CrashSubject = {
  ordered: true,

  async start(run: CrashRun): Promise<void> {
    const random = randomFrom(run.seed);
    const recorder = recorderIn(run.folder);
    for (const session of SESSIONS) recorder.accept(sessionRecord(session));
    let serial = 0;
    const call = (session: Session, chars: number): void => {
      recordCall(recorder, run, session, (serial += 1), chars);
    };
    if (run.clean) {
      for (const session of SESSIONS) call(session, 100);
      const report = await recorder.flush(10_000, "all", "now");
      if (!report.complete) throw new Error(JSON.stringify(report));
      return;
    }
    // A host has loaded all this long before anybody speaks. And before the first record of a session that continues,
    // its file is read and the host is asked for its history; what a kill costs then is recorded at the next start.
    for (const session of SESSIONS) recorder.accept({ ...sessionRecord(session), kind: "event", name: "begun" });
    await recorder.flush(10_000);
    const pace = PACES[random(PACES.length)] ?? PACES[0];
    run.begins();
    for (;;) {
      for (let n = 0; n < pace.calls; n += 1) {
        const session = SESSIONS[random(SESSIONS.length)];
        if (session) call(session, pace.minChars + random(pace.maxChars - pace.minChars));
      }
      await sleep(pace.everyMs);
    }
  },

  async inspect(folder: string): Promise<CrashFile[]> {
    const files = SESSIONS.flatMap(({ path }) => EXTENSIONS.map((extension) => path + extension));
    const there = files.filter((file) => fs.existsSync(join(folder, "transcripts", file)));
    return Promise.all(there.map((file) => inspectFile(folder, file)));
  },
};

function recorderIn(folder: string): Recorder {
  return createRecorder({
    dataFolder: folder,
    judgeEnd: judgedEnd,
    options: { format: "both", maxInlineChars: 5_000, redact: true },
    queries: { session: async () => undefined, history: async () => [] },
    onFault: () => undefined,
    onFailure: (error) => {
      throw error;
    },
  });
}

function sessionRecord(session: Session) {
  const parent = "parentID" in session ? { parentID: session.parentID } : {};
  return { kind: "session" as const, sessionID: session.id, isNew: true, title: "Crash", ...parent };
}

/** A call that has its result already: two entries in each of the session's files. */
function recordCall(
  recorder: Recorder,
  { generation, accepted }: CrashRun,
  session: Session,
  serial: number,
  chars: number,
): void {
  const partID = `prt_${String(generation).padStart(6, "0")}_${String(serial).padStart(8, "0")}`;
  for (const extension of EXTENSIONS) {
    for (const type of ["tool_use", "tool_result"]) accepted(`${type}/${partID}${extension}`, session.path + extension);
  }
  recorder.accept({
    kind: "call",
    sessionID: session.id,
    messageID: `msg_${generation}`,
    partID,
    callID: `call_${serial}`,
    tool: "bash",
    input: { command: `echo ${serial}` },
    end: { status: "completed", output: "a line of output\n".repeat(Math.ceil(chars / 17)) },
  });
}

export async function inspectFile(folder: string, file: string): Promise<CrashFile> {
  const path = join(folder, "transcripts", file);
  const extension = file.endsWith(".md") ? ".md" : ".jsonl";
  const bytes = fs.readFileSync(path);
  const readOutput = async (output: string): Promise<string | undefined> => {
    const outputPath = join(folder, "transcripts", output);
    return fs.existsSync(outputPath) ? fs.readFileSync(outputPath, "utf8") : undefined;
  };
  const parsed =
    extension === ".md" ? await parseMarkdownTranscript(bytes, { readOutput }) : await parseJsonlTranscript(bytes);
  const scanner = new TranscriptScanner(extension === ".md" ? "markdown" : "jsonl");
  await Array.fromAsync(scanner.keysIn(bytes));
  const { start: end } = scanner.rest;
  const keys = parsed.entries.flatMap((entry) => entryKey(entry) ?? []);
  const doubled = keys.filter((key, at) => keys.indexOf(key) !== at);
  // A kill in the very first write leaves a piece of the header.
  const isOnlyTorn = end === 0;
  const damage = parsed.problems.filter(({ code }) => code !== "torn_entry" && !(code === "no_header" && isOnlyTorn));
  return {
    file,
    path,
    ids: keys.map((key) => key + extension),
    tailBytes: bytes.byteLength - end,
    repaired: parsed.entries.filter((entry) => entry.type === "session_event" && entry.name === "torn entry").length,
    problems: [
      ...damage.map(({ code, line, message }) => `${code} at line ${line}: ${message}`),
      ...doubled.map((key) => `${key} stands there twice`),
      ...(!isOnlyTorn && parsed.header === undefined ? ["there is no header"] : []),
    ],
  };
}

export default subject;
