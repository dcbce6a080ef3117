/** `transcripts doctor` */
import { dirname } from "node:path";
import { refuseLinkOut, unignoredTranscripts, WRITTEN_FOLDERS } from "../../transcript/files/data-folder.ts";
import { describeFault, errorCode, LINK_OUT } from "../../transcript/files/fault.ts";
import { projectOf } from "../../sessions/transcripts.ts";
import { readTranscript } from "../../parse/read-transcript.ts";
import { findSessions, type FoundSessions } from "../../sessions/find-sessions.ts";
import { openReadable } from "../../sessions/open-session.ts";
import { readingOptions } from "../../sessions/reading-options.ts";
import { type StoreGenerations, storeGenerations } from "../../sessions/opencode-store.ts";
import { reasonOf, isReadFault } from "../../sessions/reasons.ts";
import { FOREIGN, type SessionRef, type Unreadable } from "../../sessions/session-ref.ts";
import { counted } from "../../quantities.ts";
import { VERSION } from "../../version.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { doctorText } from "../doctor-text.ts";
import { addPlugin } from "../init/plugin-config.ts";
import { configText, projectAt } from "../init/project-config.ts";
import type { Output } from "../output-schemas.ts";
import { redactedRow, redactorFor } from "../redaction.ts";
import { hasContent } from "../../indexing/index-session.ts";
import { type Expiring, expiringSessions } from "../../queries/expiring-sessions.ts";
import { withStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { storePlace } from "../../store/store-place.ts";
import { isStoreError } from "../../transcripts-error.ts";

/** Number of sessions checked without --all. */
const SAMPLE = 50;

export const run: RunCommand = async (context, _args, options) => {
  const found = await findSessions(context, { all: true });
  const sample = options.flag("all") ? found.sessions : found.sessions.slice(0, SAMPLE);
  const findings = await lookInto(context, sample);
  const { generations, unchecked } = await generationsOf(found);
  const unreadable = [
    ...found.unreadable,
    ...unchecked,
    ...notUnderstood(generations, findings),
    ...findings.unreadable,
  ];
  const config = await configOf(context);
  const { index, expiring } = await indexHealth(context, found, options.flag("all"));
  const looked: Output<"doctor"> = {
    version: 1,
    ok: unreadable.length === 0 && index.problem === null && (config === null || config.problem === null),
    program: { version: VERSION, runtime: runtime() },
    places: placesOf(found, generations),
    index,
    unreadable: unreadable.map(({ path, reason }) => ({ path, reason })),
    config,
    warnings: [...(await warningsOf(found)), ...foreignWarning(found)],
    expiring,
    checked: sample.length - findings.unreadable.length,
    of: found.sessions.length,
    lines: findings.lines,
    skipped_types: Object.fromEntries(findings.skipped),
    unknown_types: Object.fromEntries(findings.unknown),
    damage: [...findings.damage.values()],
  };
  const result = await redactedRow(redactorFor(), looked);
  if (options.flag("json")) await context.printObject(result);
  else await context.out(doctorText(context, result));
  return result.ok ? 0 : 2;
};

function runtime(): string {
  const { bun, node } = process.versions;
  return bun === undefined ? `Node ${node}` : `Bun ${bun}`;
}

type Generations = ReadonlyMap<string, StoreGenerations>;

/** Counts the sessions of both versions in opencode's databases, by path. `unchecked`: those that cannot be counted. */
async function generationsOf({
  roots,
  unreadable,
}: FoundSessions): Promise<{ generations: Generations; unchecked: Unreadable[] }> {
  const generations = new Map<string, StoreGenerations>();
  const unchecked: Unreadable[] = [];
  for (const { path, source, isThere } of roots) {
    if (source !== "opencode-store" || !isThere) continue;
    try {
      generations.set(path, await storeGenerations(path));
    } catch (error) {
      const isKnown = unreadable.some((fault) => fault.path === path);
      if (!isKnown) unchecked.push({ path, reason: `its messages could not be checked: ${reasonOf(error)}` });
    }
  }
  return { generations, unchecked };
}

/** Returns which rows of opencode's databases are not read, or not in full. */
function notUnderstood(generations: Generations, { unknownIn }: Findings): Unreadable[] {
  return [...generations].flatMap(([path, { unknownForms, orphans1 }]) => {
    const reasons: string[] = [];
    if (unknownForms.size > 0) {
      const count = [...unknownForms.values()].reduce((sum, each) => sum + each, 0);
      const what = count === 1 ? "1 message of opencode 2.x is" : `${count} messages of opencode 2.x are`;
      const why = count === 1 ? "its form is" : "their forms are";
      const forms = [...unknownForms.keys()].join(", ");
      reasons.push(`${what} not read, or not in full, because ${why} not known to this version: ${forms}`);
    }
    const types = unknownIn.get(path);
    if (types !== undefined && unknownForms.size === 0)
      reasons.push(`sessions have messages or parts of types not known to this version: ${[...types].join(", ")}`);
    if (orphans1 > 0)
      reasons.push(`not read: ${counted(orphans1, "row")} of opencode 1.x whose session or message is missing`);
    return reasons.map((reason) => ({ path, reason }));
  });
}

function placesOf({ roots, unreadable }: FoundSessions, generations: Generations): Output<"doctor">["places"] {
  return roots.map(({ source, path, sessions, agent }) => ({
    source: source === "opencode-store" ? (agent ?? "opencode") : source,
    path,
    sessions,
    problem: unreadable.find((fault) => fault.path === path)?.reason ?? null,
    generations: generationRow(generations.get(path)),
  }));
}

function generationRow(counts: StoreGenerations | undefined): Output<"doctor">["places"][number]["generations"] {
  if (counts === undefined) return null;
  return { opencode_1: counts.sessions1, opencode_2: counts.sessions2, taken_over: counts.takenOver };
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

/** Maximum number of session ids in a warning. */
const MAX_NAMED = 5;

function foreignWarning({ sessions }: FoundSessions): string[] {
  const ids = sessions.flatMap(({ id, isForeign }) => (isForeign ? [id] : []));
  if (ids.length === 0) return [];
  const named = ids.slice(0, MAX_NAMED).join(", ") + (ids.length > MAX_NAMED ? " and others" : "");
  const what = ids.length === 1 ? "1 transcript was" : `${ids.length} transcripts were`;
  return [`${what} ${FOREIGN}: ${named}. They came with a clone or a copy, and anybody may have written them.`];
}

async function configOf({ cwd, plugin }: CommandContext): Promise<Output<"doctor">["config"]> {
  const { configs } = await projectAt(cwd);
  let first: Output<"doctor">["config"] = null;
  for (const path of configs) {
    const config = await configAt(path, plugin);
    if (config.plugin === true) return config;
    first ??= config;
  }
  return first;
}

async function configAt(path: string, plugin: string): Promise<NonNullable<Output<"doctor">["config"]>> {
  try {
    const addition = addPlugin(await configText(path), undefined, plugin);
    if (addition.kind === "broken") return { path, plugin: null, problem: addition.problem };
    return { path, plugin: addition.kind === "present", problem: null };
  } catch (error) {
    return { path, plugin: null, problem: reasonOf(error) };
  }
}

interface Findings {
  unreadable: { path: string; reason: string }[];
  lines: number;
  skipped: Map<string, number>;
  unknown: Map<string, number>;
  /** Unknown types in sessions of opencode's databases, by path. */
  unknownIn: Map<string, Set<string>>;
  damage: Map<string, Output<"doctor">["damage"][number]>;
}

async function lookInto(context: CommandContext, refs: readonly SessionRef[]): Promise<Findings> {
  const findings: Findings = {
    unreadable: [],
    lines: 0,
    skipped: new Map(),
    unknown: new Map(),
    unknownIn: new Map(),
    damage: new Map(),
  };
  const progress = context.progress(refs.length);
  for (const ref of refs) {
    context.signal.throwIfAborted();
    try {
      await lookAt(context, ref, findings);
    } catch (error) {
      if (!isReadFault(error)) throw error;
      findings.unreadable.push({ path: ref.path ?? ref.id, reason: reasonOf(error) });
    }
    progress.advance();
  }
  progress.end();
  return findings;
}

async function lookAt(context: CommandContext, ref: SessionRef, findings: Findings): Promise<void> {
  const path = ref.path ?? ref.id;
  const reader = readTranscript(ref.id, openReadable(ref), {
    ...(await readingOptions(ref, context)),
    pricing: "flat",
    onLineError: (line, _reason, { code, recovered }) => {
      // Counted with the unknown types.
      if (code === "unknown_type") return;
      const key = `${path}\0${code}\0${recovered}`;
      const known = findings.damage.get(key);
      if (known) known.count += 1;
      else findings.damage.set(key, { path, code, count: 1, recovered, first_line: line });
    },
  });
  const types: string[] = [];
  for await (const { blocks } of reader) {
    for (const { block_type: type, metadata } of blocks) if (type === "unknown") types.push(metadata.type ?? "unknown");
  }
  const { lines, unknown_lines: unknown } = reader.summary();
  types.push(...unknown.map(({ type }) => type));
  findings.lines += lines.total;
  for (const [type, times] of Object.entries(lines.skipped)) add(findings.skipped, type, times);
  for (const type of types) add(findings.unknown, type, 1);
  if (ref.database === null || types.length === 0) return;
  const known = findings.unknownIn.get(ref.database) ?? new Set();
  findings.unknownIn.set(ref.database, new Set([...known, ...types]));
}

function add(counts: Map<string, number>, key: string, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}

/** Maximum size checked by default; checking it takes about five seconds. */
const CHECKED_BYTES = 500_000_000;

type IndexHealth = Output<"doctor">["index"];

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
