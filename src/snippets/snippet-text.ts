/** The texts of a snippet as they are stored: free of secrets, and of the right size. */
import { redactJson } from "../redact/redact-json.ts";
import type { Redactor } from "../redact/redactor.ts";
import { MAX_CONTENT_BYTES, MAX_TITLE_CHARS, MIN_CONTENT_BYTES } from "../store/model.ts";
import { storableText } from "../store/storable.ts";
import { MAX_TAG_CHARS } from "./input.ts";
import { SnippetError } from "./snippet-error.ts";

/** Bytes of metadata as JSON: notes on a snippet, not another one. */
const MAX_METADATA_BYTES = 16_384;
/** Deeper metadata are no notes; databases refuse them sooner or later. */
const MAX_DEPTH = 20;

export interface SnippetTexts {
  title: string;
  content: string;
  tags: string[];
  metadata: Record<string, unknown>;
}

/**
 * Redacted copies: each secret is `[REDACTED:kind]`, halves of surrogate pairs are U+FFFD, tags stand once. Throws a
 * `SnippetError` (`invalid`) if one is too long or too short then. A title counts in code points, all else in bytes.
 */
export async function storableTexts(redactor: Redactor, given: SnippetTexts): Promise<SnippetTexts> {
  const notes = asJson(given.metadata);
  const [plain, ...tagged] = await redactJson(redactor, [
    { title: storableText(given.title.trim()), content: storableText(given.content) },
    ...given.tags.map((tag) => storableText(tag.trim())),
  ]);
  const [about] = await redactJson(redactor, [notes]);
  const title = textIn(plain?.value, "title");
  const content = textIn(plain?.value, "content");
  const tags = [...new Set(tagged.map(({ value }) => (typeof value === "string" ? value : "")))];
  const metadata = objectOf(about?.value);
  checkTitle(title);
  checkContent(content);
  for (const [index, tag] of tags.entries()) checkTag(tag, index);
  checkMetadata(metadata);
  return { title, content, tags, metadata };
}

function textIn(value: unknown, key: string): string {
  const text: unknown = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  return typeof text === "string" ? text : "";
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function checkTitle(title: string): void {
  const chars = [...title].length;
  if (title === "") throw new SnippetError("invalid", "title", "it is empty.", "Say in a few words what it is about.");
  if (chars <= MAX_TITLE_CHARS) return;
  const problem = `it has ${chars} characters, ${MAX_TITLE_CHARS} are allowed.`;
  throw new SnippetError("invalid", "title", problem, "Shorten it; the rest belongs into the content.");
}

function checkContent(content: string): void {
  const bytes = Buffer.byteLength(content);
  if (bytes >= MIN_CONTENT_BYTES && content.trim() === "") {
    throw new SnippetError("invalid", "content", "it is blank.", "Say what happened, why, and what came of it.");
  }
  const problem = `it has ${bytes} bytes once secrets are out; ${MIN_CONTENT_BYTES} to ${MAX_CONTENT_BYTES} are allowed.`;
  if (bytes < MIN_CONTENT_BYTES) {
    throw new SnippetError("invalid", "content", problem, "Say more: what happened, why, and what came of it.");
  }
  if (bytes > MAX_CONTENT_BYTES) {
    throw new SnippetError("invalid", "content", problem, "Shorten it, or make several snippets of it.");
  }
}

function checkTag(tag: string, index: number): void {
  const next = `A tag has 1 to ${MAX_TAG_CHARS} characters, such as deployment.`;
  if (tag === "") throw new SnippetError("invalid", `tags.${index}`, "it is empty.", next);
  if (tag.length > MAX_TAG_CHARS) throw new SnippetError("invalid", `tags.${index}`, "it is too long.", next);
}

function checkMetadata(metadata: Record<string, unknown>): void {
  const json = JSON.stringify(metadata);
  const bytes = Buffer.byteLength(json);
  if (/(?<!\\)(?:\\\\)*\\u0000/.test(json)) {
    throw new SnippetError("invalid", "metadata", "it has a NUL character (U+0000).", "Leave it out.");
  }
  if (bytes > MAX_METADATA_BYTES) throw tooLarge(bytes);
}

/** A copy with nothing but what JSON has. */
function asJson(metadata: Record<string, unknown>): unknown {
  let json: string;
  try {
    json = JSON.stringify(metadata).toWellFormed();
  } catch (cause) {
    if (cause instanceof RangeError) throw tooDeep(cause);
    // A cycle, or a BigInt.
    const problem = "it cannot be written as JSON.";
    throw new SnippetError("invalid", "metadata", problem, "Give plain texts, numbers, lists and objects.", { cause });
  }
  if (json.length > 2 * MAX_METADATA_BYTES) throw tooLarge(Buffer.byteLength(json));
  const copy: unknown = JSON.parse(json);
  checkDepth(copy);
  return copy;
}

function checkDepth(root: unknown): void {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw tooDeep();
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
}

/** `cause`: the runtime's own limit, where it is that deep. */
function tooDeep(cause?: unknown): SnippetError {
  const problem = `it is nested more than ${MAX_DEPTH} deep.`;
  return new SnippetError("invalid", "metadata", problem, "Keep it flat.", cause === undefined ? {} : { cause });
}

function tooLarge(bytes: number): SnippetError {
  const problem = `as JSON it has ${bytes} bytes; ${MAX_METADATA_BYTES} are allowed.`;
  return new SnippetError("invalid", "metadata", problem, "Keep only what you will look for.");
}
