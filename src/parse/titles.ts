/** A title that says something; null for none, and for the one that opencode gives a session until it has a better. */
export function givenTitle(title: string | null | undefined): string | null {
  if (title === null || title === undefined || title.trim() === "") return null;
  return /^(?:New|Child) session - \d{4}-\d{2}-\d{2}T/.test(title) ? null : title;
}
