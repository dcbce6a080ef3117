/** `transcripts index` */
import { count, counted } from "../../quantities.ts";
import { type IndexReport, updateIndex } from "../../indexing/update-index.ts";
import { storePlace, withStore } from "../../store/open-store.ts";
import { createCommand, jsonObject, runnable, STORED_SESSION, type Versioned } from "../command.ts";
import { badArguments, type CommandContext, inputText } from "../context.ts";
import { withSessionsBar } from "../terminal/progress.ts";
import { familyRefs, noSessionsNote, noteUnread, refuseStdin, sessionNamed, sessionsNamed } from "../session-input.ts";
import type { Store } from "../../store/store.ts";
import { TranscriptsError } from "../../transcripts-error.ts";
import { dirname, resolve, sep } from "node:path";
import { recordIn, stringOf } from "../../parse/json-fields.ts";
import { staleSessions } from "../../indexing/stale-sessions.ts";
import type { SessionRef } from "../../places/session-ref.ts";
import { sessionRoots } from "../../sessions/find-sessions.ts";

const definition = createCommand("index", {
  description:
    "Reads the sessions that changed, and stores what is new in them, with passwords, keys and tokens redacted. Sessions stay in the store when their file is deleted; " +
    "`forget` removes them for good. " +
    "The command may be interrupted at any time, and several may run at once. " +
    "The store is a SQLite file: ~/.local/share/opencode-transcripts/transcripts.db, or the one named by TRANSCRIPTS_DATABASE.",
  examples: {
    "transcripts index": "Adds what is new.",
    "transcripts index latest": "Adds the newest session.",
    "transcripts index --json | jq .unreadable": "Prints what could not be read, and why.",
  },
  nothing: "no session was found",
})
  .argument("[SESSION...]", `${STORED_SESSION} Default: all sessions.`)
  .option(
    "--hook",
    "For the hooks of Claude Code: adds the session named by the JSON on standard input; at SessionStart, what is new in the same project, newest first, up to about 50 MB. With TRANSCRIPTS_PUSH=1 in the environment, it also pushes.",
  )
  .addOption(jsonObject("what was done"));

export interface IndexOutput extends Versioned, IndexReport {
  /** The store: a file, or an address without its password. */
  store: string;
}

/** Bytes of a project's changed sessions after which no further one is added at the start of a session. */
const MAX_CATCH_UP_BYTES = 50_000_000;
/** Maximum size of a hook's JSON, which may contain the agent's last message. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

export const command = runnable(definition, async (context, [args], options) => {
  if (options.hook && args.length > 0)
    throw badArguments("--hook and a SESSION cannot be combined.", "Give one of them.");
  args.forEach(refuseStdin);
  const { refs, missing } = await sessionsNamed(context, args);
  if (args.length > 0 && refs.length === 0) return 2;
  const named = args.length === 0 ? {} : { only: await filesOf(context, refs) };
  const report = await withStore(context, {}, async (store) => {
    const chosen = options.hook ? { only: await sessionsOfHook(context, store) } : named;
    const asked = { ...chosen, signal: context.signal };
    const done = await withSessionsBar(context, (onProgress) => updateIndex(store, context, { ...asked, onProgress }));
    if (options.hook === true && isPushWanted(context)) await (await import("./push.ts")).pushed(context, store);
    return done;
  });
  noteUnread(context, report.unreadable);
  context.note(scopeLine(report, args.length > 0));
  if (options.json) {
    const { place: store } = storePlace(context);
    await context.printObject({ version: 1, store, ...report } satisfies IndexOutput);
  }
  if (args.length > 0 && missing + report.unreadable.length > 0) return 2;
  return report.sessions > 0 ? 0 : 1;
});

/** The hook leaves this machine's sessions to an explicit `push`, unless the user says otherwise. */
function isPushWanted({ env }: CommandContext): boolean {
  return (env["TRANSCRIPTS_PUSH"] ?? "0") !== "0";
}

const FORGOTTEN = "nothing was added: the session was removed with `transcripts forget`";

/** `isNamed`: sessions were named. */
function scopeLine(report: IndexReport, isNamed: boolean): string {
  const { sessions, changed, unchanged, gone, unreadable, damaged, events, bytes } = report;
  const missing = gone === 0 ? [] : [`${gone} whose file is gone`];
  if (sessions === 0) return [isNamed ? FORGOTTEN : noSessionsNote({ team: false }), ...missing].join("; ");
  const counts = [
    `${report.new} new`,
    `${changed} changed`,
    `${unchanged} unchanged`,
    ...missing,
    ...(unreadable.length === 0 ? [] : [`${unreadable.length} unreadable`]),
    ...(damaged === 0 ? [] : [counted(damaged, "damaged place")]),
  ];
  const what = `${count(events)} ${events === 1 ? "entry" : "entries"} from ${(bytes / 1e6).toFixed(1)} MB`;
  return [`indexed ${counted(sessions, "session")}: ${counts.join(", ")}`, ...(bytes === 0 ? [] : [what])].join("; ");
}

/** Returns the sessions with their subagents, as far as they have files. */
async function filesOf(context: CommandContext, refs: readonly SessionRef[]): Promise<SessionRef[]> {
  const found: SessionRef[] = [];
  for (const ref of refs) {
    if (ref.archived !== null)
      throw new TranscriptsError(
        "gone",
        `Session ${ref.id} has no file here, so nothing can be added.`,
        "`transcripts show` reads what the store has.",
      );
    found.push(...(await familyRefs(context, ref)).filter(({ archived }) => archived === null));
  }
  return found;
}

/**
 * Returns the sessions to index for a hook: its own with its subagents, or, at the start of a session, those of the same
 * project that changed since they were indexed, newest first, because no hook runs when an agent is interrupted.
 */
async function sessionsOfHook(context: CommandContext, store: Store): Promise<SessionRef[]> {
  const { event, path } = await hookInput(context);
  if (event !== "SessionStart") return filesOf(context, [await sessionNamed(context, path)]);
  const folder = dirname(resolve(context.cwd, path)) + sep;
  const roots = (await sessionRoots(context)).filter((root) => folder.startsWith(root.path + sep));
  const { stale, unreadable } = await staleSessions(store, { ...context, roots });
  noteUnread(context, unreadable);
  const chosen: SessionRef[] = [];
  let bytes = 0;
  for (const { ref } of stale) {
    if (ref.path?.startsWith(folder) !== true) continue;
    chosen.push(ref);
    bytes += ref.bytes ?? 0;
    if (bytes >= MAX_CATCH_UP_BYTES) break;
  }
  return chosen;
}

/** Reads the fields that hooks of Claude Code, Codex, Copilot CLI and Qwen Code share. The file may not exist yet. */
async function hookInput({ stdin }: CommandContext): Promise<{ event: string; path: string }> {
  const fields = recordIn(await inputText(stdin, MAX_INPUT_BYTES));
  const [event, path] = [stringOf(fields, "hook_event_name"), stringOf(fields, "transcript_path")];
  if (event && path) return { event, path };
  throw badArguments(
    "Standard input is not what a hook of Claude Code passes.",
    "Run `transcripts init --claude-code` to set up the hooks.",
  );
}
