/** `transcripts index` */
import { counted } from "../../quantities.ts";
import { type IndexReport, updateIndex, type UpdateOptions } from "../../indexing/update-index.ts";
import { migrateStore, storePlace, storeVersion, withStore } from "../../store/open-store.ts";
import { badArguments, type CommandContext, type CommandOptions, type ExitCode, type RunCommand } from "../command.ts";
import { withSessionsBar } from "../terminal/progress.ts";
import { familyOf, NO_SESSIONS, noteUnread, sessionNamed } from "../session-input.ts";
import type { Store } from "../../store/store.ts";
import { textOf } from "../io.ts";
import type { Output } from "../output-schemas.ts";
import { MIGRATIONS } from "../../store/migrations/migrations.ts";
import { TranscriptsError } from "../../transcripts-error.ts";
import { dirname, resolve, sep } from "node:path";
import { z } from "zod";
import { staleSessions } from "../../indexing/stale-sessions.ts";
import { isStream, type SessionRef } from "../../sessions/session-ref.ts";
import { sessionRoots } from "../../sessions/session-roots.ts";

/** Bytes of a project's changed sessions after which no further one is added at the start of a session. */
const MAX_CATCH_UP_BYTES = 50_000_000;
/** Maximum size of a hook's JSON, which may contain the agent's last message. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

export const run: RunCommand = async (context, args, options) => {
  const [other, second] = options.given("down", "prune", "hook");
  if (other !== undefined && (args.length > 0 || second !== undefined)) {
    const excluded = second === undefined ? "a SESSION" : `--${second}`;
    throw badArguments(`--${other} and ${excluded} exclude each other.`, "Give one of them.");
  }
  const down = options.integer("down");
  if (down !== undefined) return takeBack(context, down, options);
  const prune: UpdateOptions["prune"] = options.flag("prune") && (options.flag("yes") ? "all" : true);
  const named = args.length === 0 ? {} : { only: await sessionsNamed(context, args), revive: true };
  const report = await withStore(context, {}, async (store) => {
    const chosen = options.flag("hook") ? { only: await sessionsOfHook(context, store) } : named;
    const asked = { rebuild: options.flag("rebuild"), prune, ...chosen, signal: context.signal };
    return withSessionsBar(context, (onProgress) => updateIndex(store, context, { ...asked, onProgress }));
  });
  noteUnread(context, report.unreadable);
  context.note(scopeLine(report));
  if (options.flag("json")) {
    const { place: store } = storePlace(context);
    await context.printObject({ version: 1, store, ...report, migrations: null } satisfies Output<"index">);
  }
  return report.sessions > 0 ? 0 : 1;
};

function scopeLine(report: IndexReport): string {
  const { sessions, changed, unchanged, gone, pruned, unreadable, events, bytes } = report;
  const left = gone - pruned;
  const missing = [
    ...(pruned === 0 ? [] : [`${pruned} gone and forgotten`]),
    ...(left === 0 ? [] : [`${left} gone (kept; --prune forgets them)`]),
  ];
  if (sessions === 0) {
    return [NO_SESSIONS, ...missing].join("; ");
  }
  const counts = [
    `${report.new} new`,
    `${changed} changed`,
    `${unchanged} unchanged`,
    ...missing,
    `${unreadable.length} unreadable`,
  ];
  const megabytes = (bytes / 1e6).toFixed(1);
  return `indexed ${counted(sessions, "session")}: ${counts.join(", ")}; ${counted(events, "event")} from ${megabytes} MB`;
}

async function takeBack(context: CommandContext, count: number, options: CommandOptions): Promise<ExitCode> {
  const { place, exists } = storePlace(context);
  const version = exists ? await storeVersion(context) : 0;
  if (version === 0) {
    context.note(`no index found at ${place}; \`transcripts index\` creates one`);
    return 1;
  }
  if (count > version) {
    throw badArguments(
      `The index is at version ${version}, so ${count} migrations cannot be undone.`,
      `Use --down ${version} or less.`,
    );
  }
  const target = version - count;
  if (!options.flag("yes") && !(await context.confirmed(warning(place, version, target)))) {
    context.note("nothing was changed");
    return 1;
  }
  const migrations = await migrateStore(context, target);
  context.note(
    `the index is now at version ${migrations.to}, was at ${migrations.from}; \`transcripts index\` updates it again`,
  );
  if (options.flag("json"))
    await context.printObject({ ...NOTHING, store: place, migrations } satisfies Output<"index">);
  return 0;
}

const NOTHING = {
  version: 1 as const,
  sessions: 0,
  new: 0,
  changed: 0,
  unchanged: 0,
  gone: 0,
  pruned: 0,
  unreadable: [],
  events: 0,
  bytes: 0,
};

/** Returns what will be lost; only snippets exist nowhere else. */
function warning(place: string, version: number, target: number): string {
  const names = MIGRATIONS.filter((migration) => migration.version > target && migration.version <= version);
  const steps = names.map((migration) => migration.name).toReversed();
  const losses = target < 2 ? "all snippets and all indexed sessions" : "their data";
  const again =
    target < 2
      ? "Snippets cannot be recreated."
      : "The next `transcripts index` recreates it, with the sessions that were forgotten.";
  return `This migrates ${place} down from version ${version} to ${target} (undoes: ${steps.join(", ")}) and deletes ${losses}. ${again}`;
}

/** Fields that hooks of Claude Code, Codex, Copilot CLI and Qwen Code share. */
const HookInput = z.object({
  hook_event_name: z.string(),
  /** At the start of a session, a file that may not exist yet. */
  transcript_path: z.string().min(1),
});

/** Returns the sessions that were named, with their subagents. */
async function sessionsNamed(context: CommandContext, args: readonly string[]): Promise<SessionRef[]> {
  const found: SessionRef[] = [];
  for (const argument of args) {
    const ref = await sessionNamed(context, argument);
    if (ref.archived !== null)
      throw new TranscriptsError("gone", `Session ${ref.id} has no file here.`, "The store keeps what it has of it.");
    if (isStream(ref) || ref.source === "stdin")
      throw badArguments(`${argument} is not a file.`, "Give an id or the path of a file.");
    found.push(...(await familyOf(context, ref)).filter(({ archived }) => archived === null));
  }
  return found;
}

/**
 * Returns the sessions to index for a hook: its own with its subagents, or, at the start of a session, those of the same
 * project that changed since they were indexed, newest first, because no hook runs when an agent is interrupted.
 */
async function sessionsOfHook(context: CommandContext, store: Store): Promise<SessionRef[]> {
  const { hook_event_name: event, transcript_path: path } = await hookInput(context);
  if (event !== "SessionStart") return sessionsNamed(context, [path]);
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

async function hookInput({ stdin }: CommandContext): Promise<z.infer<typeof HookInput>> {
  const text = await textOf(stdin, MAX_INPUT_BYTES);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notOfHook(Buffer.byteLength(text) > MAX_INPUT_BYTES ? "it is too large" : "it is not JSON", error);
  }
  const { data, error } = HookInput.safeParse(value);
  if (data === undefined) throw notOfHook(`${error.issues[0]?.path.join(".") || "an object"} is missing`, error);
  return data;
}

function notOfHook(problem: string, cause?: unknown): TranscriptsError {
  return new TranscriptsError(
    "bad_arguments",
    `Standard input is not what a hook of Claude Code passes: ${problem}.`,
    "Run `transcripts init --claude-code` to set up the hooks.",
    { cause },
  );
}
