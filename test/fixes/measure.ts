/**
 * Measures `findFixes` on the labelled failures: `npx bun test/fixes/measure.ts` prints the report. The sessions lie
 * beside the repository, in `../shared/corpus`; where they are absent there is nothing to measure.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findFixes } from "../../src/queries/call-fixes.ts";
import type { ParseResult, ToolCall } from "../../src/parse/model.ts";
import { parseTranscript } from "../../src/agents/parse-input.ts";
import { shared } from "../support/shared.ts";
import { heldOut } from "./held-out.ts";
import type { SessionLabels } from "./label.ts";
import { scoreAnswers, type Answers, type Score } from "./score.ts";
import { refused } from "./set-aside.ts";
import { tuning } from "./tuning.ts";

const CORPUS = shared("corpus");

const PARTS: readonly { name: string; sessions: readonly SessionLabels[] }[] = [
  { name: "tuning", sessions: tuning },
  { name: "held-out", sessions: heldOut },
];

export interface PartMeasurement extends Score {
  name: string;
  /** Failures that are reported but not labelled. */
  unlabelled: string[];
}

export interface Measurement {
  parts: PartMeasurement[];
  /** Refused and interrupted calls that are reported as failures. */
  refusedAsFailures: string[];
}

const keyOf = (call: ToolCall): string | undefined => (call.use ?? call.result)?.block_id;

/** The names of all calls as the labels have them, by block: the id, and `#n` behind it where several calls share it. */
function nameCalls(calls: readonly ToolCall[]): Map<string | undefined, string> {
  const byId = Map.groupBy(calls, (call) => call.tool_use_id ?? "");
  const names = new Map<string | undefined, string>();
  for (const [id, same] of byId) {
    for (const [i, call] of same.entries()) names.set(keyOf(call), same.length === 1 ? id : `${id}#${i + 1}`);
  }
  return names;
}

function answersOf({ messages, content_blocks, tool_calls }: ParseResult): Answers {
  const names = nameCalls(tool_calls);
  const name = (call: ToolCall): string => names.get(keyOf(call)) ?? "a call that is not in tool_calls";
  const fixes = findFixes(messages, content_blocks, tool_calls);
  // Refused and interrupted calls are listed too, as what they are.
  const failures = fixes.filter(({ failed }) => failed.status === "error");
  return new Map(
    failures.map(({ failed, fix, steps }) => [
      name(failed),
      { fix: fix ? name(fix) : null, steps: steps.map(({ call }) => name(call)) },
    ]),
  );
}

async function readAnswers(file: string): Promise<Answers> {
  return answersOf(await parseTranscript(file, readFileSync(join(CORPUS ?? "", file))));
}

const refusedIn = (file: string): Set<string> =>
  new Set(refused.filter((each) => each.file === file).flatMap(({ calls }) => calls.map(({ call }) => call)));

async function measurePart({ name, sessions }: (typeof PARTS)[number]): Promise<PartMeasurement> {
  const answered: (SessionLabels & { answers: Answers })[] = [];
  const unlabelled: string[] = [];
  for (const session of sessions) {
    const answers = await readAnswers(session.file);
    const known = new Set([...session.failures.map(({ call }) => call), ...refusedIn(session.file)]);
    answered.push({ ...session, answers });
    unlabelled.push(...[...answers.keys()].filter((call) => !known.has(call)));
  }
  return { name, ...scoreAnswers(answered), unlabelled };
}

/** All parts, or undefined where the corpus is absent. Rejects if a file of the corpus is missing. */
export async function measureFixes(): Promise<Measurement | undefined> {
  if (CORPUS === undefined) return undefined;
  const parts: PartMeasurement[] = [];
  for (const part of PARTS) parts.push(await measurePart(part));
  const refusedAsFailures: string[] = [];
  for (const { file, calls } of refused) {
    const answers = await readAnswers(file);
    refusedAsFailures.push(...calls.map(({ call }) => call).filter((call) => answers.has(call)));
  }
  return { parts, refusedAsFailures };
}

const percent = (value: number): string => `${(value * 100).toFixed(1)}%`;

function formatPart(part: PartMeasurement): string {
  return [
    `${part.name}: ${part.labelled} failures labelled, ${part.failures} found as failures`,
    `  precision ${percent(part.precision)} (${part.right} of ${part.named} fixes named)`,
    `  recall    ${percent(part.recall)} (${part.found} of ${part.demanded} fixes labelled)`,
    `  steps     ${part.stepsRight} of ${part.withSteps} as labelled`,
    ...part.misses.map(
      ({ file, call, problem, expected, got }) =>
        `  ${problem}: ${file}\n    call ${call}\n    expected ${expected ?? "none"}\n    got      ${got ?? "none"}`,
    ),
    ...part.unlabelled.map((call) => `  reported, but not labelled: ${call}`),
  ].join("\n");
}

/** The report as lines of text. */
export const formatMeasurement = ({ parts, refusedAsFailures }: Measurement): string =>
  [...parts.map(formatPart), ...refusedAsFailures.map((call) => `refused, but reported as a failure: ${call}`)].join(
    "\n",
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const measured = await measureFixes();
  console.log(measured ? formatMeasurement(measured) : "Skipped: there is no ../shared/corpus beside the repository.");
}
