/** The lines of a Claude Code session that can hold a term, told by their bytes. */
import { foldedKin } from "../matching/folding.ts";
import { PatternSearch, type ByteSearch } from "./find-search.ts";

/**
 * Characters that the parser itself may put into the text of a result: JSON of parts that it does not know (with
 * escapes that the line has in another form), notes for images, line ends between parts, and U+FFFD for broken bytes.
 * What a person sees next to them need not stand next to them in the line.
 */
const MADE = /\\(?:u[\da-f]{0,4}|.)?|[[\]{}":,\ufffd\p{Cc}]/isu;
/** The notes have spaces, which elsewhere are as the line has them. */
const NOTES = ["[image ", "[tool reference "];

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "/": "/",
  "\b": "b",
  "\f": "f",
  "\n": "n",
  "\r": "r",
  "\t": "t",
};

/**
 * Finds every line with a conversation that has the term, and some without; undefined if only reading all of them can
 * tell. It looks for the longest part of the term that must stand in the line as it is: in any case, as UTF-8 or with
 * JSON's escapes.
 */
export function termSearch(term: string): ByteSearch | undefined {
  const pieces = term.split(mayBeOfNote(term) ? new RegExp(`${MADE.source}|\\s`, MADE.flags) : MADE);
  const longest = pieces.reduce((a, b) => (b.length > a.length ? b : a), "");
  if (longest === "") return undefined;
  return new PatternSearch(new RegExp(Array.from(longest, writings).join(""), "g"));
}

/** Whether the term can run over a space of a note. */
function mayBeOfNote(term: string): boolean {
  const folded = term.toLowerCase();
  const spaces = [...folded.matchAll(/ /g)].map(({ index }) => index);
  return spaces.some((at) => {
    const before = folded.slice(0, at + 1);
    return NOTES.some((note) => {
      const heads = [...note.matchAll(/ /g)].map(({ index }) => note.slice(0, index + 1));
      return heads.some((head) => before.endsWith(head) || head.endsWith(before));
    });
  });
}

/** An expression for all the ways in which JSON writes a character or one that counts as the same. */
function writings(character: string): string {
  const ways = new Set(foldedKin(character).flatMap((kin) => [...utf8(kin), ...escapes(kin)]));
  // One class of bytes is quicker to look for than a choice of bytes.
  const bytes = [...ways].filter((way) => way.length === ONE_BYTE);
  const others = [...ways].filter((way) => way.length > ONE_BYTE);
  const all = bytes.length === 0 ? others : [`[${bytes.join("")}]`, ...others];
  return all.length === 1 ? (all[0] ?? "") : `(?:${all.join("|")})`;
}

const ONE_BYTE = String.raw`\x41`.length;

/** As bytes, where JSON allows that and UTF-8 can. */
function utf8(character: string): string[] {
  const code = character.codePointAt(0) ?? 0;
  const isLoneSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < 0x20 || isLoneSurrogate || character === '"' || character === "\\") return [];
  return [[...Buffer.from(character)].map((byte) => `\\x${hex(byte, 2)}`).join("")];
}

function escapes(character: string): string[] {
  const units = Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at), 4));
  const long = units.map((unit) => `\\\\u${unit.replaceAll(/[a-f]/g, eitherCase)}`).join("");
  const short = SHORT_ESCAPES[character];
  return short === undefined ? [long] : [long, `\\\\${short}`];
}

function eitherCase(letter: string): string {
  return `[${letter}${letter.toUpperCase()}]`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
