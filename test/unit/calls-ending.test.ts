import assert from "node:assert/strict";
import { judgedEnd, type HostEnd } from "../../src/agents/opencode/opencode-endings.ts";
import { endingOf } from "../../src/calls/ending.ts";
import { describe, test } from "../support/runner.ts";

/** A command line, its exit code, and whether that means that the call failed. */
type Case = [line: string, exitCode: number, failed: boolean];

const SEARCHES: Case[] = [
  ["grep x f", 1, false],
  ["grep x f", 2, true],
  ["egrep 'a|b' f", 1, false],
  ["/usr/bin/grep -rn x .", 1, false],
  ["\\grep x f", 1, false],
  ["rg -n x src", 1, false],
  ["rg -n x src", 2, true],
  ["find . -name x", 1, false],
  ["find . -name x -exec grep -l y {} +", 1, false],
  ["git grep x", 1, false],
  ["git -C a --no-pager grep x", 1, false],
  ["git grep x", 128, true],
  ["findstr /s x *.ts", 1, false],
  ["C:\\Windows\\System32\\findstr.exe x f", 1, false],
  ["FINDSTR x f", 1, false],
];

const COMPARISONS: Case[] = [
  ["diff a b", 1, false],
  ["diff a b", 2, true],
  ["diff <(sort a) <(sort b)", 1, false],
  ["diff - b <<'EOF'\na; false\nEOF", 1, false],
  ["cmp a b", 1, false],
  ["test -f a", 1, false],
  ["[ -f a ]", 1, false],
  ["[[ -f a && -f b ]]", 1, false],
  ["[[ $a =~ ^(x|y)$ ]]", 1, false],
  ["git diff --exit-code", 1, false],
  ["git diff --quiet HEAD -- src", 1, false],
  ["git -c core.pager=cat diff --no-index a b", 1, false],
  ["git diff-index --quiet HEAD", 1, false],
  ["git diff", 128, true],
];

const WHAT_STANDS_BEFORE_IT: Case[] = [
  ["cd src && grep x f", 1, false],
  ["make; grep x f", 1, false],
  ["test -f a || grep x f", 1, false],
  ["cat f | grep x", 1, false],
  ["cat f |& grep x 2>/dev/null", 1, false],
  ["cat f | grep x > out.txt", 1, false],
  ["LANG=C X= grep x f", 1, false],
  ["env LANG=C grep x f", 1, false],
  ["env -u LANG A= grep x f", 1, false],
  ["sudo -u bob grep x f", 1, false],
  ["doas -u bob grep x f", 1, false],
  ["caffeinate setsid grep x f", 1, false],
  ["timeout 5 grep x f", 1, false],
  ["timeout -k 1 5 grep x f", 1, false],
  ["timeout 5 grep x f", 124, true],
  ["time nice -n 5 grep x f", 1, false],
  ["command grep x f # or not", 1, false],
  ["(cd a && grep x f)", 1, false],
  ["{ echo a; grep x f; }", 1, false],
  ["if true; then grep x f; fi", 1, false],
  ["for f in a b; do grep x $f; done", 1, false],
  ["x=$(grep y f)", 1, false],
  ["x=$(make | grep y)", 1, false],
  ["bash -c 'cd a; grep x f'", 1, false],
  ["bash -lc \"cat f | grep 'x y'\"", 1, false],
  ["sudo sh -c 'bash -c \"grep x f\"'", 1, false],
  ['cmd /c "findstr x f"', 1, false],
  ["cmd.exe /C findstr x f", 1, false],
  ['pwsh -NoProfile -Command "Get-Content f | findstr x"', 1, false],
  ["Get-Content f `\n  | findstr x", 1, false],
  ["cat <<'EOF' > f && grep x f\nfalse; exit 3\nEOF", 1, false],
  ["python3 <<'EOF'\ngrep = 1\nEOF\ngrep x f", 1, false],
  ["find . -name '*.ts' | xargs grep x", 123, false],
  ["find . -print0 | xargs -0 -n 1 -P 4 grep -l x", 123, false],
  ["find . | xargs -I {} grep x {}", 123, false],
  ["find . | xargs grep x", 1, true],
  ["find . | xargs rm", 123, true],
  ["grep x f", 123, true],
];

const FAILURES: Case[] = [
  ["false", 1, true],
  ["exit 3", 3, true],
  ["npm test", 1, true],
  ["make && grep x f; exit 1", 1, true],
  ["grep x f | head", 1, true],
  ["grep x f && make", 1, true],
  ["diff a b && true", 1, true],
  ["grep x f || exit 1", 1, true],
  ["grep x f; false", 1, true],
  ["! grep x f", 1, true],
  ["! test -f a", 1, true],
  ["echo grep", 1, true],
  ["echo 'a; grep x f", 1, true],
  ["cat <<EOF | sh\ngrep x f\nEOF", 1, true],
  ["cat > f <<EOF\ngrep x f\nEOF", 1, true],
  ["git commit -m \"$(cat <<'EOF'\nuse grep\nEOF\n)\"", 1, true],
  ["git status", 1, true],
  ["git log --grep x", 1, true],
  ["bash -c 'grep x f; make'", 1, true],
  ["bash grep.sh", 1, true],
  ["grepx f", 1, true],
  ["for f in a; do make $f; done", 1, true],
  ["x=$(make)", 2, true],
  ["echo $(grep x f) && false", 1, true],
  ["which x", 1, true],
  ["", 1, true],
  [")", 1, true],
  ["grep x f", 130, true],
  ["grep x f", -1, true],
];

describe("a command that the host reports as completed", () => {
  const cases = [...SEARCHES, ...COMPARISONS, ...WHAT_STANDS_BEFORE_IT, ...FAILURES];
  for (const [line, exitCode, failed] of cases) {
    test(`\`${line}\` with exit code ${exitCode} ${failed ? "failed" : "did not fail"}`, () => {
      const status = endingOf({ input: { command: line }, reported: "completed", exitCode });
      assert.equal(status, failed ? "error" : "completed");
    });
  }

  test("may be a list of words, and the field may have another name", () => {
    const status = (input: unknown): string => endingOf({ input, reported: "completed", exitCode: 1 });
    assert.equal(status({ command: ["bash", "-lc", "cat f | grep 'x y'"] }), "completed");
    assert.equal(status({ command: ["grep", "a|b; c", "it's"] }), "completed");
    assert.equal(status({ command: ["grep x f"] }), "completed");
    assert.equal(status({ cmd: "grep x f" }), "completed");
    assert.equal(status({ command: ["bash", "-lc", "make"] }), "error");
    assert.equal(status({ command: ["echo", "; grep x"] }), "error");
    assert.equal(status({ command: 7 }), "error");
    assert.equal(status("grep x f"), "error");
  });

  test("is not read in quadratic time", () => {
    for (const piece of [
      "(",
      "$(",
      "`",
      '"$(',
      "<(",
      "<<E\n",
      "bash -c '",
      "x=",
      "| grep ",
      "{ ",
      "xargs ",
      "[[ a && ",
    ]) {
      const input = { command: piece.repeat(40_000) };
      assert.match(endingOf({ input, reported: "completed", exitCode: 1 }), /^(?:error|completed)$/);
    }
  });
});

describe("a result of opencode", () => {
  const result = (fields: Partial<HostEnd>): HostEnd => ({
    tool: "bash",
    input: { command: "make" },
    ...fields,
  });

  test("is judged by the exit code in its metadata, and the status reported by the host is kept", () => {
    for (const key of ["exit", "exitCode", "exit_code"]) {
      assert.deepEqual(judgedEnd(result({ status: "completed", metadata: { [key]: 3 } })), {
        status: "error",
        hostStatus: "completed",
        exitCode: 3,
      });
    }
    assert.deepEqual(judgedEnd(result({ metadata: { exit: 0 } })), { status: "completed", exitCode: 0 });
    assert.deepEqual(judgedEnd(result({ metadata: { exit: null } })), { status: "completed" });
    assert.deepEqual(judgedEnd(result({ metadata: "exit 3" })), { status: "completed" });
    assert.deepEqual(judgedEnd(result({})), { status: "completed" });
  });

  test("gets the same verdict when judged again", () => {
    for (const metadata of [{ exit: 3 }, { exit: 0 }, { timeout: true }, {}]) {
      const once = judgedEnd(result({ metadata }));
      assert.deepEqual(judgedEnd(result({ ...once, metadata })), once);
      assert.deepEqual(judgedEnd(result({ ...once })), once);
    }
  });

  test("failed if the host timed the command out, the code failed, or the tool is unknown", () => {
    assert.equal(judgedEnd(result({ metadata: { timeout: true } })).status, "error");
    assert.equal(judgedEnd(result({ metadata: { timeout: 5_000, exit: 0 } })).status, "completed");
    assert.equal(judgedEnd(result({ tool: "execute", metadata: { error: true } })).status, "error");
    assert.equal(judgedEnd(result({ tool: "demo_execute", metadata: { error: true } })).status, "completed");
    const unknown = judgedEnd({ tool: "invalid", input: { tool: "no_such", error: "no such tool" } });
    assert.deepEqual(unknown, { status: "error", hostStatus: "completed" });
  });

  test("is judged by the shell tool's note at the end of the output, not by output of the command", () => {
    const note = (text: string, name = "shell"): string => `out\n\n<${name}_metadata>\n${text}\n</${name}_metadata>`;
    const tooLong = "tool terminated command after exceeding timeout 500 ms. Retry with a larger one.";
    const status = (output: unknown, exit: number | null = null): string =>
      judgedEnd(result({ output, metadata: { exit } })).status;
    assert.equal(status(note(`shell ${tooLong}`)), "error");
    assert.equal(status(note(`bash ${tooLong}`, "bash")), "error");
    assert.equal(status(note("User aborted the command")), "interrupted");
    assert.equal(status(`${"x".repeat(100_000)}${note(`shell ${tooLong}`)}`), "error");
    assert.equal(status(note(`shell ${tooLong}`), 0), "completed");
    assert.equal(status(`${note(`shell ${tooLong}`)}\nmore`), "completed");
    assert.equal(status(note("something else")), "completed");
    assert.equal(status({ text: note("User aborted the command") }), "completed");
    // A transcript whose kept output is gone has only the beginning of it.
    const judged = judgedEnd(result({ output: note(`shell ${tooLong}`) }));
    assert.deepEqual(judgedEnd(result({ ...judged, output: "out" })), judged);
  });

  test("keeps the host's own verdict: an error, an interruption, a refusal", () => {
    assert.deepEqual(judgedEnd(result({ status: "error" })), { status: "error" });
    assert.deepEqual(judgedEnd(result({ status: "interrupted", metadata: { exit: 130 } })), {
      status: "interrupted",
      exitCode: 130,
    });
    const refusal = "The user rejected permission to use this specific tool call.";
    assert.deepEqual(judgedEnd(result({ status: "error", output: refusal })), { status: "rejected" });
    assert.deepEqual(judgedEnd(result({ status: "error", output: "Tool execution aborted" })), {
      status: "interrupted",
    });
    assert.deepEqual(judgedEnd(result({ metadata: { exit: 1 }, output: refusal })), {
      status: "error",
      hostStatus: "completed",
      exitCode: 1,
    });
  });
});
