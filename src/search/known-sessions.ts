/**
 * Whether the index knows all sessions as they are now: the answer of the last time, if nothing changed since. It saves
 * looking for the sessions and comparing each with its row, which takes longer than a search.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Where } from "../sessions/session-ref.ts";
import type { Store } from "../store/store.ts";
import { VERSION } from "../version.ts";
import { shortHash } from "./short-hash.ts";
import { isAsSeen, PlacesRecorder, type SeenPlaces } from "./seen-places.ts";

/** Answers are kept for so many folders that searches are started in. */
const MOST_KEPT = 8;
const OWNER_FOLDER = 0o700;
const OWNER_FILE = 0o600;

/** What is to be known of the sessions on this machine. */
export interface KnownSessions {
  /** How many there are, subagents included. */
  count: number;
  /** How many the index has whose source is gone. */
  gone: number;
  /** Ids that several of them have. */
  ambiguous: string[];
}

interface Answer extends KnownSessions {
  version: string;
  /** See `Store.stamp`. */
  stamp: string;
  seen: SeenPlaces;
}

/** The answer of the last time, if it still holds. */
export async function knownSessions(store: Store, where: Where): Promise<KnownSessions | undefined> {
  const path = placeOf(store, where);
  const stamp = path === undefined ? undefined : await store.stamp();
  if (path === undefined || stamp === undefined) return undefined;
  const answer = readAnswer(path);
  if (answer === undefined || answer.version !== VERSION || answer.stamp !== stamp) return undefined;
  return isAsSeen(answer.seen, where) ? answer : undefined;
}

/** What the disk looks like now: taken before sessions are compared with the index, kept once all of them are in it. */
export async function lookAround(where: Where): Promise<SeenPlaces | undefined> {
  const { findSessions } = await import("../sessions/find-sessions.ts");
  const { syncSessionFiles } = await import("../sessions/sync-session-files.ts");
  const recorder = new PlacesRecorder();
  const { roots, unreadable } = await findSessions(recorder.where(where), {
    all: true,
    files: recorder.files(syncSessionFiles),
  });
  // What opencode wrote last may stand beside its database.
  for (const { source, path } of roots) if (source === "opencode-store") recorder.see(`${path}-wal`);
  return unreadable.length > 0 ? undefined : recorder.seen();
}

/** Keeps the answer for the next time. Where that cannot be done, the next time takes longer. */
export async function remember(store: Store, where: Where, seen: SeenPlaces, known: KnownSessions): Promise<void> {
  const path = placeOf(store, where);
  const stamp = path === undefined ? undefined : await store.stamp();
  if (path === undefined || stamp === undefined) return;
  const { count, gone, ambiguous } = known;
  const answer: Answer = { version: VERSION, stamp, seen, count, gone, ambiguous };
  try {
    writeAnswer(path, JSON.stringify(answer));
  } catch {
    // A cache: whatever keeps it from being written, nothing is lost.
  }
}

function writeAnswer(path: string, text: string): void {
  const folder = join(path, "..");
  mkdirSync(folder, { recursive: true, mode: OWNER_FOLDER });
  const others = readdirSync(folder).map((name) => join(folder, name));
  const dated = others.map((other) => ({ other, ms: statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  for (const { other } of dated.toSorted((a, b) => b.ms - a.ms).slice(MOST_KEPT - 1)) rmSync(other, { force: true });
  const whole = `${path}.${process.pid}`;
  writeFileSync(whole, text, { mode: OWNER_FILE });
  renameSync(whole, path);
}

function readAnswer(path: string): Answer | undefined {
  try {
    const answer: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isAnswer(answer) ? answer : undefined;
  } catch {
    // Not there, or not whole: looked up anew.
    return undefined;
  }
}

/** Written by this version, so its shape is known; what is checked is that it is one of ours. */
function isAnswer(value: unknown): value is Answer {
  return (
    typeof value === "object" &&
    value !== null &&
    "version" in value &&
    value.version === VERSION &&
    "stamp" in value &&
    typeof value.stamp === "string" &&
    "seen" in value &&
    typeof value.seen === "object"
  );
}

/** Undefined of a store that others write too: what it has changes all the time. */
function placeOf(store: Store, { env, home, cwd, roots }: Where): string | undefined {
  if (store.backend !== "sqlite" || roots !== undefined) return undefined;
  const caches = env["XDG_CACHE_HOME"] || env["LOCALAPPDATA"] || join(home, ".cache");
  return join(caches, "opencode-transcripts", "sessions", `${shortHash(`${store.place}\n${cwd}\n${home}`)}.json`);
}
