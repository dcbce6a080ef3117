/**
 * Text of sessions made harmless for a terminal. Sessions hold whatever a tool printed: escape sequences that move the
 * cursor, set the window's title, write to the clipboard or hide text.
 */

/** Escape sequences: CSI (colours, cursor), OSC (title, links, clipboard), DCS and its like, and the short ones. */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)|\x1b[ -/]*[0-OQ-WYZ`-~]/g;
/** What is left of control characters, without newline and tab; with them the marks that turn the reading direction. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
const ANY_CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
/** What `JSON.stringify` leaves as it is; the newlines of its layout are not among them. */
const JSON_RAW = /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
/** The same but for colours, which the program itself prints. */
const CONTROLS_BUT_COLOURS = /\x1b\[[\d;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Several lines: newlines and tabs stay, escape sequences go, other control characters become visible. */
export function neutralBlock(text: string): string {
  if (!ANY_CONTROL.test(text)) return text;
  return text
    .replace(/\r\n?/g, "\n")
    .replace(SEQUENCES, "")
    .replace(CONTROLS, (char) => picture(char));
}

/** One line: all white space becomes single spaces. Only the first `maxChars` characters are looked at. */
export function neutralLine(text: string, maxChars = 2_000): string {
  return neutralBlock(text.slice(0, maxChars)).replace(/\s+/g, " ").trim();
}

/** The last guard before a terminal: lets nothing through but text and colours. */
export function guardTerminal(text: string): string {
  return text.replace(CONTROLS_BUT_COLOURS, (match) => (match.length > 1 ? match : picture(match)));
}

/** JSON as a terminal may show it: the same value, with the control characters that JSON leaves raw as escapes. */
export function guardJson(json: string): string {
  return json.replace(JSON_RAW, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** `␛` for ESC and so on; those without a picture become U+FFFD. */
function picture(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}
