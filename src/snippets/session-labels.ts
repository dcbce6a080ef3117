/** Tags, pins and titles that the user gives to sessions. */
import { type SnippetSetting, storedSessionId } from "./session-lookup.ts";
import { createRedactor } from "../redact/redactor.ts";
import type { SessionLabels } from "../store/stored-model.ts";
import type { Store } from "../store/store.ts";
import { fieldError } from "../transcripts-error.ts";
import { wholeLine } from "../parse/titles.ts";

export interface LabelChange {
  add?: readonly string[];
  remove?: readonly string[];
  pinned?: boolean | undefined;
  /** Empty to show the session's own title again. */
  title?: string | undefined;
}

const TAG = /^[\p{L}\p{N}][\p{L}\p{N}._:/+-]{0,63}$/u;
const MAX_TAGS = 50;
const MAX_TITLE_CHARS = 200;

/**
 * Changes the labels of a session, which is added to the store if it is not there, and returns them. Throws a
 * `TranscriptsError` that names the field, or of the store.
 */
export async function labelSession(
  setting: SnippetSetting,
  session: string,
  { add = [], remove = [], pinned, title }: LabelChange,
): Promise<SessionLabels> {
  for (const tag of add) checkTag(tag);
  const id = await storedSessionId(setting, session);
  const before = (await setting.store.labels({ id })).get(id);
  const tags = new Set([...(before?.tags ?? []), ...add.map(nameOf)]);
  for (const tag of remove) tags.delete(nameOf(tag));
  if (tags.size > MAX_TAGS)
    throw fieldError("invalid", "tag_name", `A session has at most ${MAX_TAGS} tags.`, "Remove some with --remove.");
  const labels: SessionLabels = {
    session_id: id,
    tags: [...tags].toSorted(),
    is_pinned: pinned ?? before?.is_pinned ?? false,
    label_title: title === undefined ? (before?.label_title ?? null) : await cleanTitle(title),
  };
  await setting.store.setLabels(labels);
  return labels;
}

/** Returns the tags that sessions have, by name. */
export async function tagsOf(store: Pick<Store, "labels">): Promise<string[]> {
  return [...new Set([...(await store.labels()).values()].flatMap(({ tags }) => tags))].toSorted();
}

/** Tags are compared without regard to case. */
function nameOf(tag: string): string {
  return tag.normalize("NFC").toLowerCase();
}

function checkTag(tag: string): void {
  if (TAG.test(nameOf(tag))) return;
  const next = "Use up to 64 letters, digits and . _ : / + -, the first a letter or digit.";
  throw fieldError("invalid", "tag_name", `${JSON.stringify(tag.slice(0, 80))} cannot be a tag.`, next);
}

async function cleanTitle(title: string): Promise<string | null> {
  const [redacted] = await createRedactor().redact([{ text: wholeLine(title) ?? "" }]);
  return redacted === undefined || redacted.text === "" ? null : redacted.text.slice(0, MAX_TITLE_CHARS).toWellFormed();
}
