/**
 * Escapes arbitrary text for a markdown transcript: readable, harmless to `grep`, terminals and our own reader, and
 * reversible. `decodeText(encodeText(text)) === text` for every string.
 *
 * Three steps, each reversible; decoding undoes them in reverse order. All use U+2060 WORD JOINER, which is invisible, as
 * their mark. docs/format.md has the rules with examples.
 */
const JOINER = "\u2060";
const REPLACEMENT = "\ufffd";
const DELETE = 0x7f;
/** U+2400 SYMBOL FOR NULL: control pictures have the order of the control characters. */
const FIRST_PICTURE = 0x2400;
const DELETE_PICTURE = "\u2421";

const C0_AND_C1 = String.raw`\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f`;
/** Fast check whether text may need escapes. Sometimes true for text that needs none. */
const MAYBE_SPECIAL = new RegExp(String.raw`[${C0_AND_C1}\u2060]|\r(?!\n)|## \[|<!-- (?:id |transcript)`);
const MARKED_LITERAL = String.raw`([\u2400-\u241f\u2421\ufffd])(\u2060+)`;
const TEXT_CONTROLS = new RegExp(String.raw`([${C0_AND_C1}\p{Cs}]|\r(?!\n))(\u2060*)|${MARKED_LITERAL}`, "gu");
const LINE_CONTROLS = new RegExp(String.raw`([${C0_AND_C1}\n\r\p{Cs}])(\u2060*)|${MARKED_LITERAL}`, "gu");
const ENCODED_CONTROLS = /([\u2400-\u241f\u2421])(\u2060+)|\ufffd(\u2060+)([0-9a-f]{4})?/g;

const HEADING_START = /#(\u2060*)# \[/g;
const COMMENT_START = /<(\u2060*)!-- (id |transcript)/g;

/** Encodes text of several lines. `\n` and `\r\n` are unchanged. */
export function encodeText(text: string): string {
  if (text.isWellFormed() && !MAYBE_SPECIAL.test(text)) return text;
  return markHeadings(markComments(text.replace(TEXT_CONTROLS, encodeControl)));
}

/** Encodes text onto one line: line breaks become control pictures too. `decodeText` undoes it. */
export function encodeLine(text: string): string {
  return markHeadings(markComments(text.replace(LINE_CONTROLS, encodeControl)));
}

/** Undoes `encodeText` and `encodeLine`. Never throws; text that neither produced is decoded as far as possible. */
export function decodeText(encoded: string): string {
  if (!encoded.includes(JOINER)) return encoded;
  return unmarkComments(unmarkHeadings(encoded)).replace(ENCODED_CONTROLS, decodeControl);
}

function encodeControl(_match: string, control?: string, after?: string, literal?: string, marks = ""): string {
  if (control === undefined) return `${literal}${marks}${marks}`;
  const code = control.charCodeAt(0);
  const joiners = after ?? "";
  if (code > DELETE) return REPLACEMENT + JOINER + code.toString(16).padStart(4, "0") + joiners;
  const picture = code === DELETE ? DELETE_PICTURE : String.fromCharCode(FIRST_PICTURE + code);
  return picture + JOINER + joiners + joiners;
}

/** An odd number of joiners after a picture means the control character; an even one means the picture and half as many joiners. */
function decodeControl(match: string, picture?: string, joiners = "", marks = "", hex = ""): string {
  if (picture === undefined) {
    if (marks.length % 2 === 0) return REPLACEMENT + marks.slice(marks.length / 2) + hex;
    return marks.length === 1 && hex !== "" ? String.fromCharCode(Number.parseInt(hex, 16)) : match;
  }
  const half = joiners.slice(Math.ceil(joiners.length / 2));
  if (joiners.length % 2 === 0) return picture + half;
  const code = picture === DELETE_PICTURE ? DELETE : picture.charCodeAt(0) - FIRST_PICTURE;
  return String.fromCharCode(code) + half;
}

function markHeadings(text: string): string {
  return text.replace(HEADING_START, `#$1${JOINER}# [`);
}

function unmarkHeadings(text: string): string {
  return text.replace(HEADING_START, (_, marks: string) => `#${marks.slice(1)}# [`);
}

function markComments(text: string): string {
  return text.includes("!-- ") ? text.replace(COMMENT_START, `<$1${JOINER}!-- $2`) : text;
}

function unmarkComments(text: string): string {
  return text.replace(COMMENT_START, (_, marks: string, word: string) => `<${marks.slice(1)}!-- ${word}`);
}
