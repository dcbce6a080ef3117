/** A section of a session for a reader, made to fit into a snippet. */
import { MAX_CONTENT_BYTES } from "../../store/model.ts";
import type { Piece } from "./pieces.ts";
import { oneLine, shortened } from "./shorten.ts";

export interface SectionText {
  text: string;
  /** Entries that have no place in it. */
  entriesLeftOut: number;
  /** Some of the texts are shorter than in the session. */
  isShortened: boolean;
}

/** Characters of what was said, of a call's input and of a result: as much as fits is taken, from the first on. */
const LEVELS = [
  { said: 10_000, input: 2_000, result: 4_000 },
  { said: 4_000, input: 1_000, result: 1_500 },
  { said: 2_000, input: 500, result: 800 },
  { said: 1_200, input: 300, result: 400 },
  { said: 700, input: 200, result: 250 },
  { said: 400, input: 140, result: 160 },
  { said: 250, input: 100, result: 100 },
] as const;
type Level = (typeof LEVELS)[number];

/** Fields of inputs that tell most, in the order in which they are asked. */
const TELLING = ["command", "file_path", "filePath", "path", "notebook_path", "pattern", "query", "url", "description"];
/** Room for the note of what is left out. */
const NOTE_BYTES = 120;

/**
 * `heading` and the pieces, at most `maxBytes` bytes. What does not fit is shortened, results first; where that does not
 * do, entries from the middle are left out, since the beginning says what it was about and the end what came of it.
 */
export function sectionText(heading: string, pieces: readonly Piece[], maxBytes = MAX_CONTENT_BYTES): SectionText {
  const room = maxBytes - bytesOf(`${heading}\n\n`);
  for (const level of LEVELS) {
    const shown = pieces.map((piece) => pieceText(piece, level));
    if (bytesOf(shown.join("\n\n")) <= room) {
      const isShortened = level !== LEVELS[0] || shown.some((text) => text.includes(" characters left out …]"));
      return { text: [heading, ...shown].join("\n\n"), entriesLeftOut: 0, isShortened };
    }
  }
  const last = LEVELS.at(-1) ?? LEVELS[0];
  const shown = pieces.map((piece) => pieceText(piece, last));
  const { head, tail, out } = ends(shown, room - NOTE_BYTES);
  const note = `[… ${out} of ${pieces.length} entries left out …]`;
  return { text: [heading, ...head, note, ...tail].join("\n\n"), entriesLeftOut: out, isShortened: true };
}

/** As many from both ends as fit. */
function ends(texts: readonly string[], maxBytes: number): { head: string[]; tail: string[]; out: number } {
  const head: string[] = [];
  const tail: string[] = [];
  let bytes = 0;
  for (let taken = 0; taken < texts.length; taken++) {
    const isHead = taken % 2 === 0;
    const text = texts[isHead ? head.length : texts.length - 1 - tail.length] ?? "";
    bytes += bytesOf(text) + 2;
    if (bytes > maxBytes) break;
    if (isHead) head.push(text);
    else tail.unshift(text);
  }
  return { head, tail, out: texts.length - head.length - tail.length };
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

function pieceText(piece: Piece, level: Level): string {
  const [first] = piece.texts;
  const place = `(line ${piece.line})`;
  const said = first === undefined ? "" : shortened(first.text, piece.kind === "result" ? level.result : level.said);
  switch (piece.kind) {
    case "call":
      return callText(piece, level);
    case "result":
      return `${endingOf(piece)} ${place}: ${said.trim() === "" ? "(no output)" : indented(said)}`;
    default:
      return `${speaker(piece)} ${place}:\n${said}`;
  }
}

function speaker({ kind, isSubagent }: Piece): string {
  if (kind === "user") return isSubagent ? "Asked of the subagent" : "User";
  if (kind === "program") return "Program";
  const name = isSubagent ? "Subagent" : "Assistant";
  return kind === "thinking" ? `${name}, thinking` : name;
}

function endingOf({ tool, status }: Piece): string {
  const name = tool ?? "tool";
  if (status === "error") return `! ${name} failed`;
  if (status === "rejected") return `! ${name} was refused by the user`;
  return status === "interrupted" ? `! ${name} was interrupted` : `< ${name}`;
}

/** The most telling field in the first line, the others below. */
function callText({ tool, line, texts }: Piece, level: Level): string {
  const main = TELLING.map((name) => texts.find(({ key }) => key === name)).find(Boolean) ?? texts[0];
  const head = `> ${tool ?? "tool"} (line ${line})`;
  if (main === undefined) return head;
  const isBlock = main.text.head.includes("\n");
  const about = isBlock ? indented(`\n${shortened(main.text, level.input)}`) : oneLine(main.text, level.input);
  const rest = texts.filter((field) => field !== main).slice(0, 6);
  const share = Math.max(60, Math.floor(level.input / Math.max(rest.length, 1)));
  const fields = rest.map(({ key, text }) => indented(`\n${key ?? ""}: ${shortened(text, share)}`));
  return `${head}: ${about.trimStart()}${fields.join("")}`;
}

function indented(text: string): string {
  return text.replaceAll("\n", "\n  ");
}
