/** The conditions by which the price table knows names. */

export type Match =
  | { or: Match[] }
  | { and: Match[] }
  | { equals: string }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string };

/** Whether a name in lower case meets a condition. */
export function matches(match: Match, name: string): boolean {
  if ("or" in match) return match.or.some((part) => matches(part, name));
  if ("and" in match) return match.and.every((part) => matches(part, name));
  if ("equals" in match) return name === match.equals.toLowerCase();
  if ("starts_with" in match) return name.startsWith(match.starts_with.toLowerCase());
  if ("ends_with" in match) return name.endsWith(match.ends_with.toLowerCase());
  if ("contains" in match) return name.includes(match.contains.toLowerCase());
  return new RegExp(match.regex).test(name);
}
