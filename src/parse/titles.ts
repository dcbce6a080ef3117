/** Returns a meaningful title; null for none, and for opencode's preliminary title. */
export function givenTitle(title: string | null | undefined): string | null {
  if (title === null || title === undefined || title.trim() === "") return null;
  return /^(?:New|Child) session - \d{4}-\d{2}-\d{2}T/.test(title) ? null : title;
}

/** Returns a title on one line, however long; null for white space. */
export function wholeLine(text: string | null): string | null {
  return text?.replaceAll(/\s+/g, " ").trim() || null;
}
