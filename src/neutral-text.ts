/**
 * Makes text of sessions harmless for a terminal. Sessions contain whatever a tool printed: escape sequences that move the
 * cursor, set the window's title, write to the clipboard or hide text. A pipe or a file may end in a terminal too.
 */

/**
 * Escape sequences: CSI (colours, cursor), OSC (title, links, clipboard), DCS and its like, and the short ones. None
 * reads over the beginning of another, so that a text full of beginnings takes no longer than any other.
 */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x90\x98\x9c-\x9f]*(?:\x1b\\|\x9c)|\x1b[ -/]*[0-OQ-WYZ`-~]/g;
/** Control characters without newline and tab, and the marks that turn the reading direction. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const ANY_CONTROL = new RegExp(CONTROLS.source);
/** Those that `JSON.stringify` leaves as they are; the newlines of its layout are not among them. */
const JSON_RAW = /[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** The same as `CONTROLS`, but for the colours that the program itself prints (`picocolors`; none of them hides text). */
const CONTROLS_BUT_COLOURS = new RegExp(`\\x1b\\[(?:0|[1-4]|2[2-4]|39|49|3[0-7]|9[0-7])m|${CONTROLS.source}`, "g");

/** A text without escape sequences; other control characters stay. */
export function withoutSequences(text: string): string {
  return ANY_CONTROL.test(text) ? text.replace(SEQUENCES, "") : text;
}

/** Several lines: newlines and tabs stay, escape sequences go, other control characters become visible. */
export function neutralBlock(text: string): string {
  if (!ANY_CONTROL.test(text)) return text;
  return text.replace(/\r\n?/g, "\n").replace(SEQUENCES, "").replace(CONTROLS, picture);
}

/** One line: all white space becomes single spaces. Only the first `maxChars` characters are looked at. */
export function neutralLine(text: string, maxChars = 2_000): string {
  return neutralBlock(text.slice(0, maxChars)).replace(/\s+/g, " ").trim();
}

/** The last guard of the program's output: lets nothing through but text and, with `hasColors`, the program's colours. */
export function guardOutput(text: string, hasColors: boolean): string {
  if (!ANY_CONTROL.test(text)) return text;
  if (!hasColors) return text.replace(CONTROLS, picture);
  return text.replace(CONTROLS_BUT_COLOURS, (match) => (match.length > 1 ? match : picture(match)));
}

/** The same JSON value, with the control characters and marks that JSON leaves raw as escapes. */
export function guardJson(json: string): string {
  return json.replace(JSON_RAW, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** `␛` for ESC and so on; those without a picture become U+FFFD. */
function picture(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}
