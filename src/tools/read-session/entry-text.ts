/** Formats the visible part of an entry for a model, as plain text. */
import { isFields } from "../../parse/json-fields.ts";
import { sharedRedactor } from "../../redact/redactor.ts";
import { redactJson } from "../../redact/redact-json.ts";
import type { Entry } from "../../queries/session-units.ts";
import { type EntryContent, shownContent, type ShownParts } from "../../texts/entry-content.ts";
import { shortened } from "../../neutral-text.ts";

export interface ShownEntry {
  entry: Entry;
  /** Visible text, without secrets and escape sequences. */
  text: string;
}

/** Maximum length of the first line of a call and a failed result without `withTools`, where only that is shown. */
const BRIEF_CHARS: Partial<Record<EntryContent["kind"], number>> = { call: 160, result: 240 };

/** Escape sequences and control characters except newline and tab: useless to a model, and expensive in tokens. */
const NOISE = /\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Returns the visible entries, in order. Redacts them before anything is cut. */
export async function shownEntries(entries: readonly Entry[], parts: ShownParts): Promise<ShownEntry[]> {
  const raw = entries.flatMap((entry) => {
    const shown = shownContent(entry, parts);
    return shown === undefined ? [] : [{ entry, ...shown }];
  });
  const contents = raw.map(({ content }) => content ?? null);
  const redacted = await redactJson(sharedRedactor(), contents);
  return raw.map(({ entry, kind }, at) => {
    const content = redacted[at]?.value;
    const said = typeof content === "string" ? content : "";
    const whole = (kind === "call" ? inputText(content) : said).replaceAll(NOISE, "").trimEnd();
    const maxChars = parts.withTools ? undefined : BRIEF_CHARS[kind];
    return { entry, text: maxChars === undefined ? whole : firstLine(whole, maxChars) };
  });
}

/** Shows a single text field as it is, anything else as JSON. */
function inputText(input: unknown): string {
  if (isFields(input)) {
    const values = Object.entries(input);
    const [[name, value] = ["", undefined]] = values;
    if (values.length === 1 && typeof value === "string") return `${name}: ${value}`;
  }
  return input === null || input === undefined ? "" : JSON.stringify(input);
}

function firstLine(text: string, maxChars: number): string {
  return shortened(text.slice(0, maxChars * 4).replaceAll(/\s+/g, " "), maxChars);
}
