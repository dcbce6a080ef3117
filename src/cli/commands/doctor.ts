/** `transcripts doctor` */
import { dirname } from "node:path";
import { refuseLinkOut, unignoredTranscripts, WRITTEN_FOLDERS } from "../../transcript/files/data-folder.ts";
import { describeFault, errorCode, LINK_OUT } from "../../transcript/files/fault.ts";
import { projectOf } from "../../sessions/transcripts.ts";
import { readTranscript } from "../../parse/read-transcript.ts";
import { findSessions, type FoundSessions } from "../../sessions/find-sessions.ts";
import { openReadable } from "../../sessions/open-session.ts";
import { readingOptions } from "../../sessions/reading-options.ts";
import { type StoreGenerations, storeGenerations } from "../../sessions/store-generations.ts";
import { reasonOf, isReadFault } from "../../sessions/reasons.ts";
import { type SessionRef, type Unreadable } from "../../sessions/session-ref.ts";
import { counted } from "../../quantities.ts";
import { VERSION } from "../../version.ts";
import { createCommand, jsonObject, runnable, type Versioned } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { doctorText } from "../doctor-text.ts";
import { type HostConfig, hostConfigs } from "../init/host-configs.ts";
import { redactedRow, redactorFor } from "../redaction.ts";
import { hasContent } from "../../indexing/is-current.ts";
import { type Expiring, expiringSessions } from "../../queries/expiring-sessions.ts";
import { withStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { storePlace } from "../../store/store-place.ts";
import { isStoreError } from "../../transcripts-error.ts";

const definition = createCommand("doctor", {
  summary: "Reports what is read and from where, what is not read, and why.",
  description:
    "Checks the 50 newest sessions for damage and for unknown line types; --all checks every session. Also runs SQLite's integrity check on " +
    "the index; for an index of more than 500 MB only with --all. Lists the sessions that their agent deletes within a week and that the index does not have.",
  examples: {
    "transcripts doctor": "Checks that everything is in order.",
    "transcripts doctor --json | jq .unknown_types": "Lists line types that this version does not know.",
  },
})
  .option("--all", "Checks every session, and an index of any size.")
  .addOption(jsonObject("the findings"));

/** Number of sessions checked without --all. */
const SAMPLE = 50;

export interface DoctorOutput extends Versioned {
  /** Everything found can be read. */
  ok: boolean;
  program: { version: string; runtime: string };
  /** Places that are searched for sessions. */
  places: Place[];
  index: IndexHealth;
  /** Files and folders that could not be read. */
  unreadable: Unreadable[];
  /** Configuration of opencode and Kilo: the files of the project, and every other place that has the plugin. */
  configs: HostConfig[];
  /** A link out of the project, a changed .gitignore, a plugin that is loaded twice. */
  warnings: string[];
  /** Sessions that their agent deletes within a week and that the index does not have as they are. */
  expiring: Expiring[];
  /** Numbers of sessions checked, and of all. */
  checked: number;
  of: number;
  /** Number of lines in the checked sessions. */
  lines: number;
  /** Numbers of lines that are not part of the conversation, and of lines and parts of unknown type, by type. */
  skipped_types: Readonly<Record<string, number>>;
  unknown_types: Readonly<Record<string, number>>;
  damage: Damage[];
}

interface Place {
  source: string;
  path: string;
  /** Number of sessions, subagents included. */
  sessions: number;
  problem: string | null;
  /** Sessions of opencode's database by version; null for other places. */
  generations: { opencode_1: number; opencode_2: number; taken_over: number } | null;
}

interface IndexHealth {
  backend: "sqlite" | "postgres";
  /** File, or address without its password. */
  place: string;
  exists: boolean;
  /** Null if the index is missing or cannot be read. */
  sessions: number | null;
  /** Result of SQLite's quick_check; null if it did not run: for more than 500 MB only with --all. */
  whole: boolean | null;
  problem: string | null;
}

interface Damage {
  path: string;
  code: string;
  count: number;
  recovered: boolean;
  first_line: number;
}

export const command = runnable(definition, async (context, _args, options) => {
  const isThorough = options.all ?? false;
  const found = await findSessions(context, { all: true });
  const sample = isThorough ? found.sessions : found.sessions.slice(0, SAMPLE);
  const content = await lookInto(context, sample);
  const places = await placesOf(found, content.unknownIn);
  const unreadable = [...found.unreadable, ...places.unreadable, ...content.unreadable];
  const { configs, warnings } = await hostConfigs(context);
  const { index, expiring } = await indexHealth(context, found, isThorough);
  const result = await redactedRow<DoctorOutput>(redactorFor(), {
    version: 1,
    ok: unreadable.length === 0 && index.problem === null && configs.every(({ problems }) => problems.length === 0),
    program: { version: VERSION, runtime: runtime() },
    places: places.rows,
    index,
    unreadable: unreadable.map(({ path, reason }) => ({ path, reason })),
    configs,
    warnings: [...warnings, ...(await warningsOf(found))],
    expiring,
    checked: sample.length - content.unreadable.length,
    of: found.sessions.length,
    lines: content.lines,
    skipped_types: Object.fromEntries(content.skipped),
    unknown_types: Object.fromEntries(content.unknown),
    damage: [...content.damage.values()],
  });
  if (options.json) await context.printObject(result);
  else await context.out(doctorText(context, result));
  return result.ok ? 0 : 2;
});

function runtime(): string {
  const { bun, node } = process.versions;
  return bun === undefined ? `Node ${node}` : `Bun ${bun}`;
}

/** Returns the places that are searched, and what of opencode's databases is not read. */
async function placesOf(
  { roots, unreadable: known }: FoundSessions,
  unknownIn: Content["unknownIn"],
): Promise<{ rows: Place[]; unreadable: Unreadable[] }> {
  const rows: Place[] = [];
  const unreadable: Unreadable[] = [];
  for (const { source, path, sessions, agent, isThere } of roots) {
    const problem = known.find((fault) => fault.path === path)?.reason ?? null;
    const isStore = source === "opencode-store";
    const row: Place = {
      source: isStore ? (agent ?? "opencode") : source,
      path,
      sessions,
      problem,
      generations: null,
    };
    rows.push(row);
    if (!isStore || !isThere) continue;
    try {
      const counts = await storeGenerations(path);
      const { sessions1: opencode_1, sessions2: opencode_2, takenOver: taken_over } = counts;
      row.generations = { opencode_1, opencode_2, taken_over };
      for (const reason of notUnderstood(counts, unknownIn.get(path) ?? new Set())) unreadable.push({ path, reason });
    } catch (error) {
      if (problem === null) unreadable.push({ path, reason: `its messages could not be checked: ${reasonOf(error)}` });
    }
  }
  return { rows, unreadable };
}

/** Returns which rows of a database of opencode are not read, or not in full. `types`: unknown ones in its sessions. */
function notUnderstood({ unknownForms, orphans1 }: StoreGenerations, types: ReadonlySet<string>): string[] {
  const reasons: string[] = [];
  const count = [...unknownForms.values()].reduce((sum, each) => sum + each, 0);
  if (count > 0) {
    const [is, form] = count === 1 ? ["is", "its form is"] : ["are", "their forms are"];
    const forms = [...unknownForms.keys()].join(", ");
    reasons.push(
      `${counted(count, "message")} of opencode 2.x ${is} not read, or not in full, because ${form} not known to this version: ${forms}`,
    );
  } else if (types.size > 0)
    reasons.push(`sessions have messages or parts of types not known to this version: ${[...types].join(", ")}`);
  if (orphans1 > 0)
    reasons.push(`not read: ${counted(orphans1, "row")} of opencode 1.x whose session or message is missing`);
  return reasons;
}

/** Checks the default data folders for what a cloned repository or a person changed. */
async function warningsOf({ roots }: FoundSessions): Promise<string[]> {
  const warnings: string[] = [];
  for (const { source, path } of roots) {
    const project = source === "transcript" ? projectOf(path) : null;
    if (project === null) continue;
    try {
      await refuseLinkOut(project, dirname(path), WRITTEN_FOLDERS);
    } catch (error) {
      if (errorCode(error) === LINK_OUT) warnings.push(describeFault(error).message);
    }
    const unignored = await unignoredTranscripts(path);
    if (unignored !== undefined) warnings.push(unignored);
  }
  return warnings;
}

/** Counts over the lines of the sessions that were checked. */
class Content {
  readonly unreadable: Unreadable[] = [];
  lines = 0;
  readonly skipped = new Map<string, number>();
  readonly unknown = new Map<string, number>();
  /** Unknown types in sessions of opencode's databases, by path. */
  readonly unknownIn = new Map<string, Set<string>>();
  readonly damage = new Map<string, Damage>();
}

async function lookInto(context: CommandContext, refs: readonly SessionRef[]): Promise<Content> {
  const content = new Content();
  const progress = context.progress(refs.length);
  for (const ref of refs) {
    context.signal.throwIfAborted();
    try {
      await lookAt(context, ref, content);
    } catch (error) {
      if (!isReadFault(error)) throw error;
      content.unreadable.push({ path: ref.path ?? ref.id, reason: reasonOf(error) });
    }
    progress.advance();
  }
  progress.end();
  return content;
}

async function lookAt(context: CommandContext, ref: SessionRef, content: Content): Promise<void> {
  const path = ref.path ?? ref.id;
  const reader = readTranscript(ref.id, openReadable(ref), {
    ...(await readingOptions(ref, context)),
    pricing: "flat",
    onLineError: (line, _reason, { code, recovered }) => {
      // Counted with the unknown types.
      if (code === "unknown_type") return;
      const key = `${path}\0${code}\0${recovered}`;
      const { count } = content.damage.get(key) ?? { count: 0 };
      const first_line = content.damage.get(key)?.first_line ?? line;
      content.damage.set(key, { path, code, count: count + 1, recovered, first_line });
    },
  });
  const types: string[] = [];
  for await (const { blocks } of reader) {
    for (const { block_type: type, metadata } of blocks) if (type === "unknown") types.push(metadata.type ?? "unknown");
  }
  const { lines, unknown_lines: unknown } = reader.summary();
  types.push(...unknown.map(({ type }) => type));
  content.lines += lines.total;
  for (const [type, times] of Object.entries(lines.skipped)) add(content.skipped, type, times);
  for (const type of types) add(content.unknown, type, 1);
  if (ref.database === null || types.length === 0) return;
  content.unknownIn.set(ref.database, new Set([...(content.unknownIn.get(ref.database) ?? []), ...types]));
}

function add(counts: Map<string, number>, key: string, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}

/** Maximum size checked by default; checking it takes about five seconds. */
const CHECKED_BYTES = 500_000_000;

/** Checks the index without changing it, and which sessions it lacks. `isThorough`: whatever its size. */
async function indexHealth(
  context: CommandContext,
  { sessions }: FoundSessions,
  isThorough: boolean,
): Promise<{ index: IndexHealth; expiring: Expiring[] }> {
  const place = storePlace(context);
  const unknown = { ...place, sessions: null, whole: null, problem: null };
  const lacking = (store: Store | undefined): Promise<Expiring[]> =>
    expiringSessions(context, { store, sessions, now: context.now() });
  if (!place.exists) return { index: unknown, expiring: await lacking(undefined) };
  try {
    return await withStore(context, { readOnly: true }, async (store) => {
      const expiring = await lacking(store);
      const count = (await store.sessions()).filter(hasContent).length;
      const fault = await store.fault(isThorough ? Infinity : CHECKED_BYTES);
      const known = { ...unknown, sessions: count };
      if (fault === null) return { index: known, expiring };
      const problem = fault === undefined ? null : advice(fault);
      return { index: { ...known, whole: fault === undefined, problem }, expiring };
    });
  } catch (error) {
    if (!isStoreError(error)) throw error;
    const index = { ...unknown, whole: error.code === "damaged" ? false : null, problem: error.message };
    return { index, expiring: await lacking(undefined) };
  }
}

function advice(fault: string): string {
  // SQLite reports the fault on the line after a heading.
  const what = fault.split("\n").at(-1) ?? "";
  return `SQLite's quick_check says: ${what}. Move the file away and run \`transcripts index\` to create a new one. Keep the old file: snippets are stored nowhere else.`;
}
