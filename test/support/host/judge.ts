/** Holds what a scenario recorded against the exports. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TranscriptEntry } from "../../../src/transcript/format/entry-types.ts";
import { parseExport, type ExportedSession } from "./export.ts";
import { compareWithExport, type HostDropped } from "./oracle.ts";
import type { Played } from "./scenario-run.ts";
import { readRecorded } from "./recorded.ts";
import type { Format, RecordedSession, RecordedTranscript, Scenario } from "./scenario.ts";
import { compareUsage } from "./usage-oracle.ts";

const BOTH: readonly Format[] = ["markdown", "jsonl"];

/** Throws an error that names the file and the first difference. */
export async function judge(scenario: Scenario, played: Played): Promise<void> {
  const folder = join(played.stage.sandbox.projectDir, ".openfleet", "transcripts");
  const recorded: RecordedSession[] = [];
  for (const [index, exported] of played.exports.entries()) {
    const session = parseExport(JSON.parse(scenario.adjust?.(exported) ?? exported));
    const dropped = index === 0 ? (scenario.dropped ?? []) : [];
    recorded.push(await judgeSession(folder, session, scenario.formats ?? BOTH, dropped));
  }
  await scenario.check?.(recorded, played.stage);
}

async function judgeSession(
  folder: string,
  exported: ExportedSession,
  formats: readonly Format[],
  dropped: readonly HostDropped[],
): Promise<RecordedSession> {
  const transcripts = new Map<Format, RecordedTranscript>();
  for (const format of formats) {
    const transcript = await readRecorded(folder, exported, format);
    judgeTranscript(folder, transcript, exported, dropped);
    transcripts.set(format, transcript);
  }
  const [first, second] = [...transcripts.values()].map(({ entries }) => entries.map(withoutUndefined));
  if (second) assert.deepEqual(first, second, "the two formats hold different entries");
  return { exported, transcripts };
}

function judgeTranscript(
  folder: string,
  transcript: RecordedTranscript,
  exported: ExportedSession,
  dropped: readonly HostDropped[],
): void {
  const { path, headers, entries, problems } = transcript;
  for (const entry of entries) {
    const link = "subagent" in entry ? entry.subagent?.path : undefined;
    assert.ok(link === undefined || existsSync(join(folder, link)), `${path}: the link to ${link} is dead`);
  }
  assert.deepEqual(problems, [], path);
  assert.equal(headers.length, 1, `${path}: it must have one header`);
  assert.equal(headers[0]?.sessionID, exported.info.id, path);
  assert.equal(headers[0]?.parentID, exported.info.parentID, path);
  const difference = compareWithExport(exported, entries, dropped) ?? compareUsage(exported, entries);
  assert.equal(difference, undefined, `${path}\n${difference}`);
}

/** As JSON has it: an absent field and an undefined one are the same. */
function withoutUndefined(entry: TranscriptEntry): unknown {
  return JSON.parse(JSON.stringify(entry));
}
