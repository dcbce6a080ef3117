/** Arbitrary sessions with what is hard to find, and terms that stand in them or nearly do. */
import fc from "fast-check";

/** Identifiers, paths, scripts, letters whose case is odd, and what query languages take for theirs. */
const PIECES = [
  ..."aAkKsSiI1 _-./\\\"'%*&|()[]{}:;^$#@!?+=<>~`,",
  "\t",
  "\n",
  "\u212a",
  "\u017f",
  "ß",
  "ẞ",
  "ss",
  "İ",
  "ı",
  "i\u0307",
  "é",
  "e\u0301",
  "É",
  "σ",
  "ς",
  "Σ",
  "ﬁ",
  "ǅ",
  "你",
  "好",
  "漢字",
  "日本",
  "\u{20000}",
  "😀",
  "👩‍💻",
  "🇩🇪",
  "\u200b",
  "needle",
  "Needle",
  "getUserName",
  "get_user_name",
  "src/store/model.ts",
  "C:\\Users\\me",
  "foo.bar()",
  "AND",
  "OR",
  "NOT",
  "NEAR(",
  "NULL",
  "100%",
  "a_b",
  "''",
  '""',
  "--",
  "*/",
  "\\u0041",
  "\\n",
] as const;

const text = fc.string({ unit: fc.constantFrom(...PIECES), maxLength: 14 });

type Line = Record<string, unknown>;

const IDS = ["toolu_01a", "toolu_01b", "call_2"] as const;
const TOOLS = ["Bash", "bash", "Read", "mcp__transcripts__read_session"] as const;

const line: fc.Arbitrary<Line> = fc.oneof(
  text.map((content): Line => ({ type: "user", message: { content } })),
  text.map((content): Line => ({ type: "user", isMeta: true, message: { content } })),
  text.map((each): Line => ({ type: "assistant", message: { content: [{ type: "text", text: each }] } })),
  text.map((each): Line => ({ type: "assistant", message: { content: [{ type: "thinking", thinking: each }] } })),
  fc.tuple(fc.constantFrom(...IDS), fc.constantFrom(...TOOLS), text, text).map(([id, name, a, b]): Line => ({
    type: "assistant",
    message: { content: [{ type: "tool_use", id, name, input: { command: a, more: [b, 1, null] } }] },
  })),
  fc.tuple(fc.constantFrom(...IDS), text, fc.boolean()).map(([id, content, is_error]): Line => ({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: id, content, is_error }] },
  })),
  text.map((summary): Line => ({ type: "summary", summary, leafUuid: "x" })),
);

/** A session file of Claude Code. Some lines have no time. */
export const sessionText: fc.Arbitrary<string> = fc
  .array(fc.tuple(line, fc.option(fc.integer({ min: 0, max: 9 }))), { minLength: 1, maxLength: 8 })
  .map((lines) =>
    lines
      .map(([fields, day]) => ({
        ...(day === null ? {} : { timestamp: `2026-01-0${day + 1 > 9 ? 9 : day + 1}T00:00:00.000Z` }),
        sessionId: "s",
        ...fields,
      }))
      .map((fields) => `${JSON.stringify(fields)}\n`)
      .join(""),
  );

/** A term that stands in one of the texts, in another case at times, or one that may stand nowhere. */
export function termFrom(sessions: readonly string[]): fc.Arbitrary<string> {
  const all = Array.from(sessions.flatMap((each) => each.split("\n").filter(Boolean).flatMap(textsIn)).join(" "));
  const cut = fc
    .tuple(
      fc.nat(Math.max(0, all.length - 1)),
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom("as", "lower", "upper"),
    )
    .map(([from, length, how]) => {
      const piece = all.slice(from, from + length).join("");
      return how === "lower" ? piece.toLowerCase() : how === "upper" ? piece.toUpperCase() : piece;
    });
  return fc.oneof({ weight: 3, arbitrary: cut }, fc.constantFrom(...PIECES), text).filter((term) => term !== "");
}

function textsIn(line: string): string[] {
  const texts: string[] = [];
  JSON.parse(line, (_, value: unknown) => {
    if (typeof value === "string") texts.push(value);
    return value;
  });
  return texts;
}
