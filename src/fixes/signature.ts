/** Recognizes an error that came up before: what its message says, without what differs from one time to the next. */
import { stripVTControlCharacters } from "node:util";
import { wordSet } from "./likeness.ts";

/** A line of an output that describes the problem. */
const TELLING_LINE =
  /error|exception|fail|panic|fatal|cannot|can't|unable|denied|refused|undefined|unexpected|invalid|mismatch|timed? ?out|not found|no such|missing|expected\b.*\b(?:got|received|to be)\b/i;
const NOISE =
  /^(?:exit code \d+|\[[\w-]+\] \$|at |error:?$|fail(?:ed)?:?$|npm warn|warning|[=-]{3,}|;|\{$|---? FAIL|FAIL\b|✗|✖|\d+ )|task failed$/i;
const MIN_LINE_CHARS = 16;
/** Maximum number of characters of a message that are looked at. */
const MAX_CHARS = 20_000;
const MAX_LINES = 4;
const MAX_LINE_CHARS = 300;

/** The text to replace, which the message of a failed edit repeats. */
const REPEATED_INPUT = /\nString: [^]*$/;

/** Returns the lines of an output that describe a problem, trimmed, in order. */
export function tellingLines(text: string): string[] {
  return stripVTControlCharacters(text.slice(0, MAX_CHARS))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.length >= MIN_LINE_CHARS && TELLING_LINE.test(line) && !NOISE.test(line));
}

/** Returns a line by which an error can be asked for: the first that describes the problem, or says anything. */
export function tellingLine(text: string): string {
  const lines = stripVTControlCharacters(text.slice(0, MAX_CHARS)).split("\n");
  const [first = lines.find((line) => errorSignature(line) !== "") ?? ""] = tellingLines(text);
  return first.slice(0, MAX_LINE_CHARS).trim();
}

/**
 * Returns up to four lines that identify an error: the same for messages that differ only in paths, numbers, times and
 * ids. Empty if the text says nothing, such as only an exit code.
 */
export function errorSignature(text: string): string {
  const message = text.slice(0, MAX_CHARS).replace(REPEATED_INPUT, "");
  const telling = tellingLines(message);
  const all = stripVTControlCharacters(message).split("\n");
  const lines = (telling.length > 0 ? telling : all).map(plainLine);
  const saying = lines.filter(
    (line) => /\p{L}{3}/u.test(line.replaceAll(/<\w+>/g, "")) && !/^exit code \d+$/.test(line),
  );
  return [...new Set(saying)].slice(0, MAX_LINES).join("\n");
}

const PATH_PART = String.raw`[\\/][\w@.+~$%-]{1,100}`;
/** Absolute and explicitly relative paths; others if they have two separators or the name of a file. */
const PATH = new RegExp(
  String.raw`(?<![\w@/\\])(?:(?:~|\.{1,2}|[a-z]:)?(?:${PATH_PART}){1,30}|[\w.+-]{1,60}(?:(?:${PATH_PART}){2,30}|${PATH_PART}\.[a-z]{1,5}\b))(?::\d+){0,2}`,
  "g",
);

/**
 * Replaces what differs each time by its kind. Numbers that are part of a code, such as `TS2345` or `status 404`, stay.
 * Bounded repetitions keep it linear.
 */
export function plainLine(line: string): string {
  return (
    line
      .slice(0, MAX_LINE_CHARS)
      .toLowerCase()
      // A label of the agent, not of the command.
      .replace(/^output: /, "")
      .replaceAll(/\b[a-z][a-z+.-]{1,15}:\/\/[^\s"'`<>)]{1,300}/g, "<url>")
      .replaceAll(/\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:z|[+-]\d\d:?\d\d)?)?/g, "<time>")
      .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>")
      .replaceAll(PATH, "<path>")
      .replaceAll(/\b[\w.-]{1,80}\.[a-z]{1,5}(?::\d+){1,2}\b/g, "<path>")
      .replaceAll(/\b(?=[a-f]{0,63}\d)[0-9a-f]{7,64}\b/g, "<id>")
      .replaceAll(/(?<!\w)(?<!\b(?:code|status|errno|http|signal)[ :=]{1,2})\d+(?:[.,:]\d+)*/g, "<n>")
      .replaceAll(/\s+/g, " ")
      .trim()
  );
}

/** Words of a signature's lines that carry meaning: no placeholders, and no short function words. */
function sayingWords(line: string): Set<string> {
  return wordSet(line.replaceAll(/<(?:url|time|id|path|n)>/g, " "));
}

/** Compares errors, with words that are rare among all of them counting for more. */
export class ErrorLikeness {
  readonly #signatures = new Map<string, ReadonlySet<string>[]>();
  readonly #frequency = new Map<string, number>();

  /** `known`: signatures of all errors, by which words are weighted. */
  constructor(known: Iterable<string>) {
    for (const signature of new Set(known)) {
      const words = new Set(this.#linesOf(signature).flatMap((line) => [...line]));
      for (const word of words) this.#frequency.set(word, (this.#frequency.get(word) ?? 0) + 1);
    }
  }

  /**
   * Returns how similar two errors are, from 0 to 1. Each line of the first is compared with the most similar line of the
   * second, so that an excerpt of a message matches the whole.
   */
  likeness(asked: string, other: string): number {
    if (asked === other) return 1;
    const lines = this.#linesOf(asked);
    const others = this.#linesOf(other);
    let weight = 0;
    let alike = 0;
    for (const line of lines) {
      const own = this.#weightOf(line);
      weight += own;
      alike += own * Math.max(0, ...others.map((each) => this.#lineLikeness(line, each)));
    }
    return weight === 0 ? 0 : alike / weight;
  }

  #linesOf(signature: string): ReadonlySet<string>[] {
    const known = this.#signatures.get(signature);
    if (known) return known;
    const lines = signature
      .split("\n")
      .map(sayingWords)
      .filter((words) => words.size > 0);
    this.#signatures.set(signature, lines);
    return lines;
  }

  /** Returns the share of the common words, where a part of a longer line counts nearly as much as the whole. */
  #lineLikeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
    const shared = this.#weightOf([...a].filter((word) => b.has(word)));
    const [own, other] = [this.#weightOf(a), this.#weightOf(b)];
    return own === 0 || other === 0 ? 0 : (3 * (shared / own) + shared / other) / 4;
  }

  #weightOf(words: Iterable<string>): number {
    const count = this.#signatures.size + 1;
    let weight = 0;
    for (const word of words) weight += Math.log(1 + count / (this.#frequency.get(word) ?? 0.5));
    return weight;
  }
}
