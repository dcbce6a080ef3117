/** Finds the failed tests in what bun's and node's test runners print, and lists them in few lines. */

export interface FailedTest {
  /** With the suites it is in, as `suite > test`. */
  name: string;
  /** Message, and where it was thrown. */
  message: readonly string[];
}

/** CI shows the last 200 lines of its log. Two runs of the tests fit, with their sums. */
const MAX_LIST_LINES = 85;
const MAX_LISTED = 40;
const MAX_MESSAGE_LINES = 40;
const MAX_LINE_CHARACTERS = 300;

/** The failed tests in a stage's output. If it names none, the end of its output says why it failed. */
export function failedTestsIn(output: string, stage: string): FailedTest[] {
  const lines = output.split("\n");
  const failed = [...failedUnderBun(lines), ...failedUnderNode(lines)];
  if (failed.length > 0) return failed;
  return [{ name: stage, message: output.trimEnd().split("\n").slice(-MAX_MESSAGE_LINES) }];
}

/** Bun prints a test's error before the line with its name. */
function failedUnderBun(lines: readonly string[]): FailedTest[] {
  const failed: FailedTest[] = [];
  let file = "";
  let start = 0;
  for (const [at, line] of lines.entries()) {
    // Many tests are named again at the end.
    if (/^\d+ tests failed:$/.test(line)) break;
    if (/^test\/\S+:$/.test(line)) file = line.slice(0, -1);
    const name = /^\(fail\) (.+?)(?: \[[\d.]+m?s\])?$/.exec(line)?.[1];
    if (name !== undefined) {
      const printed = messageUnderBun(lines.slice(start, at));
      const timedOut = /^ {2}\^ (.*timed out.*)$/.exec(lines[at + 1] ?? "")?.[1];
      failed.push({ name, message: timedOut === undefined ? printed : [timedOut, ...printed] });
    }
    // An error outside of any test has no line with a name.
    if (line === "# Unhandled error between tests") {
      const end = lines.indexOf(RULE, at + 2);
      const message = messageUnderBun(lines.slice(at + 2, end === -1 ? undefined : end));
      failed.push({ name: `${file}, outside of its tests`, message });
    }
    if (name !== undefined || /^\((?:pass|skip|todo)\) |^test\/\S+:$/.test(line)) start = at + 1;
  }
  return failed;
}

/** Divides an error outside of any test from what is around it. */
const RULE = "-".repeat(31);

/** Without what the test printed, the excerpt of its source, and the lines of the stack inside the runtime. */
function messageUnderBun(printed: readonly string[]): string[] {
  const caret = printed.findIndex((line) => /^\s*\^\s*$/.test(line));
  const error = printed.findIndex((line) => /^\w*error\b/i.test(line));
  const message = printed.slice(Math.max(0, caret === -1 ? error : caret + 1));
  return message.filter(
    (line) => line.trim() !== "" && !/^\d+ \| |^\s+\^$|^\s+at (?:.* \()?(?:node:|native\b|bun:)/.test(line),
  );
}

/** Node prints a test's error after the line with its name, indented and ended by three dots. */
function failedUnderNode(lines: readonly string[]): FailedTest[] {
  const failed: FailedTest[] = [];
  const names: string[] = [];
  for (const [at, line] of lines.entries()) {
    const [, indent = "", name] = /^( *)# Subtest: (.*)$/.exec(line) ?? [];
    if (name !== undefined) names.splice(indent.length / 4, Infinity, name);
    const failedAt = /^( *)not ok \d+ - /.exec(line)?.[1]?.length;
    if (failedAt === undefined) continue;
    const margin = `${" ".repeat(failedAt)}  `;
    const end = lines.indexOf(`${margin}...`, at);
    const details = lines.slice(at + 1, end === -1 ? undefined : end).map((one) => one.slice(margin.length));
    // A suite fails with its tests.
    if (details.includes("failureType: 'subtestsFailed'")) continue;
    const thrownAt = valueIn(details, "stack").find((one) => one.includes(".test.ts"));
    const message = valueIn(details, "error").filter((one) => one.trim() !== "");
    const place = thrownAt ?? valueIn(details, "location")[0] ?? "";
    failed.push({ name: names.slice(0, failedAt / 4 + 1).join(" > "), message: [...message, `at ${place.trim()}`] });
  }
  return failed;
}

/** A value of one line, or the indented lines below its key. */
function valueIn(details: readonly string[], key: string): string[] {
  const at = details.findIndex((line) => line.startsWith(`${key}: `));
  if (at === -1) return [];
  const value = (details[at] ?? "").slice(key.length + 2);
  if (!/^[|>]-?$/.test(value)) return [value.replace(/^'(.*)'$/, "$1")];
  const below = details.slice(at + 1);
  const end = below.findIndex((line) => /^\S/.test(line));
  return below.slice(0, end === -1 ? undefined : end).map((line) => line.slice(2));
}

/** Fewer lines of each message if there are many. */
export function listOf(failed: readonly FailedTest[]): string[] {
  const listed = failed.slice(0, MAX_LISTED);
  const each = Math.min(MAX_MESSAGE_LINES, Math.floor(MAX_LIST_LINES / listed.length) - 1);
  const lines = listed.flatMap(({ name, message }) => [
    `  ${name}`,
    ...message.slice(0, each).map((line) => `    ${line}`),
  ]);
  if (failed.length > listed.length) lines.push(`  … and ${failed.length - listed.length} more`);
  return lines.map((line) => (line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}…` : line));
}
