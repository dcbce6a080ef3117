/** `transcripts doctor` */
import { dirname } from "node:path";
import { refuseLinkOut, unignoredTranscripts } from "../../files/data-folder.ts";
import { describeFault, errorCode, LINK_OUT } from "../../files/fault.ts";
import { projectOf } from "../../sessions/transcripts.ts";
import { readTranscript } from "../../parse/read-transcript.ts";
import { findSessions, type FoundSessions } from "../../sessions/find-sessions.ts";
import { openReadable } from "../../sessions/open-session.ts";
import { reasonOf } from "../../sessions/reasons.ts";
import { FOREIGN, type SessionRef } from "../../sessions/session-ref.ts";
import { VERSION } from "../../version.ts";
import type { CommandContext, CommandOptions, ExitCode } from "../command.ts";
import { doctorText } from "../doctor-text.ts";
import { addPlugin } from "../init/plugin-config.ts";
import { configText, projectAt } from "../init/project-config.ts";
import { indexHealth } from "../index-health.ts";
import { flag } from "../option-values.ts";
import { printObject } from "../output.ts";
import { isReadFault } from "../../sessions/read-fault.ts";
import type { DoctorResult } from "../schemas/doctor.ts";
import { redactedRow, redactorFor } from "../redaction.ts";
import { readOptions } from "../session-input.ts";

/** Sessions that are looked into unless --all is given. */
const SAMPLE = 50;

export async function run(
  context: CommandContext,
  _args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const found = await findSessions(context, { all: true });
  const sample = flag(options, "all") ? found.sessions : found.sessions.slice(0, SAMPLE);
  const findings = await lookInto(context, sample);
  const unreadable = [...found.unreadable, ...findings.unreadable];
  const config = await configOf(context.cwd);
  const index = await indexHealth(context, flag(options, "all"));
  const looked: DoctorResult = {
    version: 1,
    ok: unreadable.length === 0 && index.problem === null && (config === null || config.problem === null),
    program: { version: VERSION, runtime: runtime() },
    places: placesOf(found),
    index,
    unreadable: unreadable.map(({ path, reason }) => ({ path, reason })),
    config,
    warnings: [...(await warningsOf(found)), ...foreignWarning(found)],
    checked: sample.length - findings.unreadable.length,
    of: found.sessions.length,
    lines: findings.lines,
    skipped_types: Object.fromEntries(findings.skipped),
    unknown_types: Object.fromEntries(findings.unknown),
    damage: [...findings.damage.values()],
  };
  const result = await redactedRow(redactorFor({}), looked);
  if (flag(options, "json")) await printObject(context, result);
  else await context.out(doctorText(context, result));
  return result.ok ? 0 : 2;
}

function runtime(): string {
  const { bun, node } = process.versions;
  return bun === undefined ? `Node ${node}` : `Bun ${bun}`;
}

function placesOf({ roots, unreadable }: FoundSessions): DoctorResult["places"] {
  return roots.map(({ source, path, sessions }) => ({
    source: source === "opencode-store" ? "opencode" : source,
    path,
    sessions,
    problem: unreadable.find((fault) => fault.path === path)?.reason ?? null,
  }));
}

/** What a cloned repository, or a person, made of the data folders where recording writes by default. */
async function warningsOf({ roots }: FoundSessions): Promise<string[]> {
  const warnings: string[] = [];
  for (const { source, path } of roots) {
    const project = source === "transcript" ? projectOf(path) : null;
    if (project === null) continue;
    try {
      await refuseLinkOut(project, dirname(path), ["transcripts", "sessions"]);
    } catch (error) {
      if (errorCode(error) === LINK_OUT) warnings.push(describeFault(error).message);
    }
    const unignored = await unignoredTranscripts(path);
    if (unignored !== undefined) warnings.push(unignored);
  }
  return warnings;
}

/** Ids of sessions that are named in a warning. */
const MAX_NAMED = 5;

function foreignWarning({ sessions }: FoundSessions): string[] {
  const ids = sessions.flatMap(({ id, isForeign }) => (isForeign ? [id] : []));
  if (ids.length === 0) return [];
  const named = ids.slice(0, MAX_NAMED).join(", ") + (ids.length > MAX_NAMED ? " and others" : "");
  const what = ids.length === 1 ? "1 transcript was" : `${ids.length} transcripts were`;
  return [`${what} ${FOREIGN}: ${named}. They came with a clone or a copy, and anybody may have written them.`];
}

async function configOf(cwd: string): Promise<DoctorResult["config"]> {
  const { configs } = await projectAt(cwd);
  let first: DoctorResult["config"] = null;
  for (const path of configs) {
    const config = await configAt(path);
    if (config.plugin === true) return config;
    first ??= config;
  }
  return first;
}

async function configAt(path: string): Promise<NonNullable<DoctorResult["config"]>> {
  try {
    const addition = addPlugin(await configText(path));
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
  damage: Map<string, DoctorResult["damage"][number]>;
}

async function lookInto(context: CommandContext, refs: readonly SessionRef[]): Promise<Findings> {
  const findings: Findings = { unreadable: [], lines: 0, skipped: new Map(), unknown: new Map(), damage: new Map() };
  const progress = context.progress(refs.length, "sessions");
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
    ...readOptions(context, ref),
    pricing: "flat",
    onLineError: (line, _reason, { code, recovered }) => {
      // It stands among the unknown types.
      if (code === "unknown_type") return;
      const key = `${path}\0${code}\0${recovered}`;
      const known = findings.damage.get(key);
      if (known) known.count += 1;
      else findings.damage.set(key, { path, code, count: 1, recovered, first_line: line });
    },
  });
  // Only what it sums up to is wanted.
  for await (const _ of reader);
  const { lines, unknown_lines: unknown } = reader.summary();
  findings.lines += lines.total;
  for (const [type, times] of Object.entries(lines.skipped)) add(findings.skipped, type, times);
  for (const { type } of unknown) add(findings.unknown, type, 1);
}

function add(counts: Map<string, number>, key: string, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}
