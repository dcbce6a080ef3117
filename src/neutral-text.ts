/**
 * Makes text of sessions harmless for a terminal. Tool output may contain escape sequences that move the cursor, set the
 * window's title, write to the clipboard or hide text. The output of a pipe or a file may be shown in a terminal later.
 */

/**
 * Matches escape sequences: CSI (colours, cursor), OSC (title, links, clipboard), DCS and similar, and the short ones.
 * None extends over the beginning of another, so that matching takes linear time on any text.
 */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x90\x98\x9c-\x9f]*(?:\x1b\\|\x9c)|\x1b[ -/]*[0-OQ-WYZ`-~]/g;
/** Matches control characters except newline and tab, and marks that change the reading direction. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const ANY_CONTROL = new RegExp(CONTROLS.source);
/** Matches those that `JSON.stringify` does not escape, without the newlines of its layout. */
const JSON_RAW = /[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Like `CONTROLS`, without the colours that the program prints (`picocolors`; none of them hides text). */
const CONTROLS_BUT_COLOURS = new RegExp(`\\x1b\\[(?:0|[1-4]|2[2-4]|39|49|3[0-7]|9[0-7])m|${CONTROLS.source}`, "g");

/** Removes escape sequences; other control characters are kept. */
export function withoutSequences(text: string): string {
  return ANY_CONTROL.test(text) ? text.replace(SEQUENCES, "") : text;
}

/** Neutralizes several lines: keeps newlines and tabs, removes escape sequences, makes other control characters visible. */
export function neutralBlock(text: string): string {
  if (!ANY_CONTROL.test(text)) return text;
  return text.replace(/\r\n?/g, "\n").replace(SEQUENCES, "").replace(CONTROLS, picture);
}

/** Neutralizes text as one line, with single spaces for white space. Uses only the first `maxChars` characters. */
export function neutralLine(text: string, maxChars = 2_000): string {
  return neutralBlock(text.slice(0, maxChars)).replace(/\s+/g, " ").trim();
}

/** Returns at most `maxChars` characters of a text, with `…` if it was cut, and never half a character. */
export function shortened(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/**
 * Returns a text on one line of at most `maxChars` characters, without escape sequences. It is cut at a word, unless that
 * loses too much.
 */
export function oneLine(text: string, maxChars: number): string {
  const line = withoutSequences(text.slice(0, 8 * maxChars))
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= maxChars) return line;
  const lastSpace = line.lastIndexOf(" ", maxChars - 2);
  return shortened(line, lastSpace > 0.8 * maxChars ? lastSpace : maxChars - 1);
}

/** Final filter of the program's output: passes only text and, with `hasColors`, the program's own colours. */
export function guardOutput(text: string, hasColors: boolean): string {
  if (!ANY_CONTROL.test(text)) return text;
  if (!hasColors) return text.replace(CONTROLS, picture);
  return text.replace(CONTROLS_BUT_COLOURS, (match) => (match.length > 1 ? match : picture(match)));
}

/** Escapes control characters and marks that JSON allows unescaped. */
export function guardJson(json: string): string {
  return json.replace(JSON_RAW, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Returns `␛` for ESC and so on; U+FFFD for characters without a picture. */
function picture(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}
