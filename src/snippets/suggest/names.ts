/**
 * Names of things in code that a text speaks of: `backticked` words, paths, identifiers, flags. They are the same in
 * every language that people write in, so texts that belong together can be told by the names that they share.
 */

/** A name begins where a word does: in long runs of letters nothing is tried from within. */
const NAME =
  /`([^`\n]{3,80})`|(?<![\w@./-])((?:[\w@.-]{1,80}\/){1,20}[\w.-]{1,80}|--[a-z][\w-]{1,60}|[A-Za-z]\w*(?:_\w+)+|[a-z]+\d*(?:[A-Z][a-z0-9]*)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|\w+\(\)|[\w-]+\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|cs?|cc|cpp|h|php|swift|json[cl]?|ya?ml|toml|md|sql|sh|css|html|vue|env|lock|txt)\b)/g;
const MIN_CHARS = 3;
/** Texts with more names are lists; what they share says little. */
const MAX_NAMES = 60;
/** What is looked at of a text. */
const MAX_CHARS = 16_000;

/** Each name once, without brackets and folders, in order. */
export function namesIn(text: string): string[] {
  const names = new Set<string>();
  for (const [, quoted, bare] of text.slice(0, MAX_CHARS).matchAll(NAME)) {
    if (names.size >= MAX_NAMES) break;
    const name = plainName(quoted ?? bare ?? "");
    if (name.length >= MIN_CHARS && !/^[\d.,\s]+$/.test(name)) names.add(name);
  }
  return [...names];
}

/** Those of the names that stand in the text. */
export function namesFound(names: readonly string[], text: string): string[] {
  return text === "" ? [] : names.filter((name) => text.includes(name));
}

function plainName(found: string): string {
  const name = found
    .trim()
    .replace(/\(.*\)$/s, "")
    .replace(/:\d+(?:[-:]\d+)?$/, "");
  return /^[\w@./-]+\/[\w.-]+$/.test(name) ? name.slice(name.lastIndexOf("/") + 1) : name;
}
