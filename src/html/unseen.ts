/**
 * Characters that a reader cannot see, but that change what is seen, or carry text past the eye: controls, marks that
 * turn the direction of the text, and the tag characters of Unicode. Tab, newline and carriage return are not among them.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Puts a sign in place of each unseen character: `␛`, `‹U+202E›`. Safe on HTML: such characters stand in no tag. */
export function showUnseen(html: string): string {
  return html.toWellFormed().replace(UNSEEN, sign);
}

function sign(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}
