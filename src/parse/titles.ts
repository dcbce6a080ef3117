/** Returns a title on one line, however long; null for white space. */
export function wholeLine(text: string | null): string | null {
  return text?.replaceAll(/\s+/g, " ").trim() || null;
}
