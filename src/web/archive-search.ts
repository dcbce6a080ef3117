/**
 * Search in an archive that is opened from disk, where a page can read no file but scripts: lists of words, in small
 * scripts of which a query loads only its own. A word is found by its beginning; what a server finds, such as a part of a
 * word, takes the server.
 *
 * Sessions are in segments, oldest first, so that a new one changes only the last. `search/sessions.js` has the sessions,
 * `search/3/ab.js` the words of the fourth segment that begin with `ab`.
 */
import { createHash } from "node:crypto";
import type { ArchivedGroup, ArchivedPage } from "./archive-writer.ts";
import { bucketName, WORD } from "./browser/search-words.ts";

/** A session of the archive. */
export interface SearchedSession {
  /** Address of its first page. */
  href: string;
  title: string;
  /** ISO 8601; null if it has no time. */
  time: string | null;
  /** Changes with its content. */
  version: string;
  /** Yields its texts with their address. */
  texts(): AsyncIterable<{ text: string; href: string }>;
}

/** Number of sessions in a segment. */
const SEGMENT_SESSIONS = 500;

/** Longer words are keys and hashes. */
const MAX_WORD_CHARS = 40;

/** Yields the files of the search. `sessions`: oldest first. */
export function* searchFiles(sessions: readonly SearchedSession[]): Generator<ArchivedPage | ArchivedGroup> {
  const rows = sessions.map(({ href, title, time }) => [href, title, time]);
  yield {
    path: "search/sessions.js",
    version: versionOf(sessions),
    content: (write) =>
      write(`transcriptsSearch(null, ${scriptJson({ segment: SEGMENT_SESSIONS, sessions: rows })});\n`),
  };
  for (let at = 0; at * SEGMENT_SESSIONS < sessions.length; at += 1) {
    const some = sessions.slice(at * SEGMENT_SESSIONS, (at + 1) * SEGMENT_SESSIONS);
    yield { group: `search/${at}`, version: versionOf(some), pages: () => segmentFiles(at, some) };
  }
}

function versionOf(sessions: readonly SearchedSession[]): string {
  const hash = createHash("sha256");
  for (const { version, title } of sessions) hash.update(`${version}\n${title}\n`);
  return hash.digest("base64url");
}

async function* segmentFiles(
  at: number,
  sessions: readonly SearchedSession[],
): AsyncGenerator<Omit<ArchivedPage, "version">> {
  for (const [start, bucket] of [...(await wordsOf(sessions))].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const name = `${at}/${start}`;
    const words = Object.fromEntries([...bucket].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const content = `transcriptsSearch(${JSON.stringify(name)}, ${scriptJson(words)});\n`;
    yield { path: `search/${name}.js`, content: (write) => write(content) };
  }
}

/** By word: the number of a session in its segment and the address of an entry with it, in turn. */
type Bucket = Map<string, (number | string)[]>;

async function wordsOf(sessions: readonly SearchedSession[]): Promise<Map<string, Bucket>> {
  const buckets = new Map<string, Bucket>();
  for (const [number, session] of sessions.entries()) {
    const seen = new Set<string>();
    for await (const { text, href } of session.texts()) {
      for (const [found] of text.toLowerCase().matchAll(WORD)) {
        if (found.length > MAX_WORD_CHARS || seen.has(found)) continue;
        seen.add(found);
        const start = bucketName(found);
        const bucket = buckets.get(start) ?? new Map<string, (number | string)[]>();
        buckets.set(start, bucket);
        const places = bucket.get(found) ?? [];
        places.push(number, href);
        bucket.set(found, places);
      }
    }
  }
  return buckets;
}

/** JSON that is safe in a script, wherever that is. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}
