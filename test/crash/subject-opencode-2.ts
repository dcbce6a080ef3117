/**
 * The plugin in opencode 2.x, from the start of the process: recorded events in a new session, and in one that each
 * process continues. An entry counts from the event that makes it whole.
 */
import * as fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FakeHost2, recordedEvents, type RecordedEvent } from "../support/recording/fake-host-2.ts";
import { inspectFile } from "./subject-recorder.ts";
import { randomFrom } from "./random.ts";
import type { CrashFile, CrashRun, CrashSubject } from "./subject.ts";

const DATA = ".openfleet";
const SESSION = "ses_crash";
const EXTENSIONS = [".md", ".jsonl"];
/** Recordings that have the prompts of their sessions. */
const RECORDINGS = ["tools", "reasoning", "two-b"];
const EVERY_MS = 2;

const subject: CrashSubject = {
  ordered: false,

  async start(run: CrashRun): Promise<void> {
    process.env["XDG_DATA_HOME"] = join(run.folder, "data");
    const random = randomFrom(run.seed);
    const sessionID = SESSION;
    const host = new FakeHost2().has({ session: sessionID, info: { id: sessionID }, messages: [] });
    await host.start({ options: { format: "both", redact: true } });
    run.begins();
    for (let turn = 0; turn < (run.clean ? 1 : Infinity); turn += 1) {
      const name = RECORDINGS[random(RECORDINGS.length)] ?? "tools";
      for (const event of renamed(recordedEvents("newest", name, run.folder), run, sessionID, turn)) {
        for (const id of wholeWith(event)) {
          for (const extension of EXTENSIONS) run.accepted(id + extension, sessionID + extension);
        }
        await host.publish(event);
        await sleep(random(EVERY_MS + 1));
      }
    }
    await host.end();
  },

  async inspect(folder: string): Promise<CrashFile[]> {
    const transcripts = join(folder, "project", DATA, "transcripts");
    const names = fs.existsSync(transcripts) ? fs.readdirSync(transcripts) : [];
    const files = names.filter((name) => /^ses_.*\.(?:md|jsonl)$/.test(name));
    return Promise.all(files.map((file) => inspectFile(join(folder, "project", DATA), file)));
  },
};

/** Number of the next event in the session. */
let seq = 0;

/** The main session of a recording, under another id and with ids of its own in each turn. */
function renamed(
  events: readonly RecordedEvent[],
  { generation }: CrashRun,
  sessionID: string,
  turn: number,
): RecordedEvent[] {
  const recorded = events[0]?.data.sessionID ?? "";
  // Every turn continues the session: it has one beginning, and its title is of no interest.
  const own = events.filter(({ type, data }) => data.sessionID === recorded && !/created|renamed/.test(type));
  const place = `${String(generation).padStart(4, "0")}${String(turn).padStart(4, "0")}`;
  return own.map((event) => {
    const json = JSON.stringify(event)
      .replaceAll(recorded, sessionID)
      .replaceAll(/\b(msg_|evt_|call_)(?=\w)/g, `$1${place}`);
    const made: RecordedEvent = JSON.parse(json);
    const { durable: _, ...rest } = made;
    return made.durable === undefined ? rest : { ...made, durable: { seq: seq++ } };
  });
}

/** Entries of the message that are whole with the event, by message. */
const pending = new Map<string, string[]>();

/** Keys of the entries that nothing later in the conversation can change or precede. */
function wholeWith({ type, data }: RecordedEvent): string[] {
  const text = (name: string): string => String(Reflect.get(data, name) ?? "");
  const messageID = text("assistantMessageID");
  const later = pending.get(messageID) ?? [];
  pending.set(messageID, later);
  switch (type) {
    case "session.inbox.delivered":
      return [`user/${text("inboxID")}`];
    case "session.tool.called":
      later.push(`tool_use/${messageID}/call-${text("id")}`);
      return [];
    case "session.tool.success":
    case "session.tool.failed":
      later.push(`tool_result/${messageID}/call-${text("id")}`);
      return [];
    case "session.step.ended":
      return later.splice(0);
    default:
      return [];
  }
}

export default subject;
