import assert from "node:assert/strict";
import { parseShell } from "../../src/calls/shell-syntax.ts";
import { describe, test } from "../support/runner.ts";

/** Words joined by `,`, stages by `|`, each pipeline followed by what stands behind it. */
const parsed = (line: string): string =>
  parseShell(line)
    .map(
      ({ stages, next }) =>
        `${stages.map(({ words }) => words.map(({ text }) => text).join(",")).join("|")}${next ?? ""}`,
    )
    .join(" ");

describe("parseShell", () => {
  const lines: [string, string, string][] = [
    ["words", "ls  -la\tsrc", "ls,-la,src"],
    ["operators", "a && b || c; d & e", "a&& b|| c; d& e"],
    ["pipes", "a | b |& c", "a|b|c"],
    ["quotes", `echo 'a "b" c' "d 'e' \\" f"`, `echo,a "b" c,d 'e' " f`],
    ["quotes within a word", `a"b c"d`, "ab cd"],
    ["escapes", "a\\ b c\\;d", "a b,c;d"],
    ["a line that goes on", "a \\\n b", "a,b"],
    ["lines", "a\nb", "a; b"],
    ["a comment", "a # b; c\nd", "a; d"],
    ["a sign in a word is no comment", "a b#c", "a,b#c"],
    ["redirections", "a > out 2>&1 < in b 2>/dev/null &> log", "a,b"],
    ["a substitution is one word", 'a $(b "c d" | e) `f g` "$(h i)"', 'a,$(b "c d" | e),`f g`,$(h i)'],
    ["brackets are operators", "(a; b) && { c; }", "a; b; {,c; }"],
    ["a heredoc is no command", "cat > x <<'EOF'\nrm -rf a && b\nEOF\nc", "cat; c"],
    ["an unclosed quote", "a 'b c", "a,b c"],
    ["an unclosed substitution", "a $(b", "a,$(b"],
    ["an unclosed heredoc", "a <<EOF\nb", "a;"],
    ["nothing", " \n ;;", ""],
    ["only a sign", "$ > ", "$"],
    [
      "a message from a heredoc",
      `git commit -m "$(cat <<'E'\nit's (half done\nE\n)" && b`,
      "git,commit,-m,$(cat <<'E'\nit's (half done\nE\n)&& b",
    ],
    ["quotes and brackets in a substitution", `a $(echo ")") b`, `a,$(echo ")"),b`],
    ["files that are commands", "diff <(sort a) <(sort b) > >(tee c)", "diff,<(sort a),<(sort b)"],
    ["arithmetic is no heredoc", "a $((1 << 2))\nb", "a,$((1 << 2)); b"],
    ["escapes of the shell's own quotes", "a $'it\\'s b' c", "a,it's b,c"],
    ["a path of Windows", "C:\\tools\\run.cmd a", "C:\\tools\\run.cmd,a"],
    ["a line of PowerShell that goes on", "a `\n b", "a,`; b"],
  ];
  for (const [name, line, expected] of lines) test(name, () => assert.equal(parsed(line), expected));

  test("keeps the body of a heredoc and the file that is written", () => {
    const [pipeline] = parseShell("tee a.txt > b.txt <<-END\n one\n END\n");
    assert.deepEqual(pipeline?.stages[0], {
      text: "tee a.txt > b.txt <<-END",
      words: [
        { text: "tee", quoted: false },
        { text: "a.txt", quoted: false },
      ],
      output: "b.txt",
      fed: " one",
      substitutions: [],
    });
  });

  test("keeps each command as written", () => {
    const line = "cd a && FOO=1 npm test 2>&1 | tail -3 >out; (x 'a b' # not this\n) # y\nz";
    const texts = parseShell(line).flatMap(({ stages }) => stages.map(({ text }) => text));
    assert.deepEqual(texts, ["cd a", "FOO=1 npm test 2>&1", "tail -3 >out", "x 'a b'", "z"]);
  });

  test("keeps the commands of substitutions", () => {
    const [pipeline] = parseShell('x=$(a | b) diff <(c) `d; e` "$(f $(g))"');
    const names = pipeline?.stages[0]?.substitutions.map(({ stages }) => stages.map(({ words }) => words[0]?.text));
    assert.deepEqual(names, [["a", "b"], ["c"], ["d"], ["e"], ["f"]]);
  });
});
