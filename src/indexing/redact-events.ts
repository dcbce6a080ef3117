/** Takes secrets out of what is to be stored. There is no other way from a session into the store. */
import { redactJson } from "../redact/redact-json.ts";
import type { Redactor } from "../redact/redactor.ts";
import { searchedTexts, type SearchedBlock } from "../scan/find-text.ts";
import { TEXT_SEPARATOR, type StoredEvent } from "../store/model.ts";
import { storableText } from "../store/storable.ts";
import type { LateName, RawEvent } from "./session-events.ts";

/** Gives the redacted form of a text that was handed in; throws for any other. */
export type Clean = <T extends string | null>(text: T) => T | string;

export interface Redacted {
  events: StoredEvent[];
  late: LateName[];
  clean: Clean;
}

/** Everything of one write, in one call of the redactor. `texts`: what `clean` is to know besides. */
export async function redactEvents(
  redactor: Redactor,
  raw: readonly RawEvent[],
  late: readonly LateName[],
  texts: Iterable<string | null>,
): Promise<Redacted> {
  // What repeats is redacted once.
  const words = new Set<string>();
  const add = (text: string | null): void => void (text !== null && words.add(text));
  for (const { event } of raw) [event.tool_name, event.tool_use_id].forEach(add);
  for (const { tool_name } of late) add(tool_name);
  for (const text of texts) add(text);
  const values = raw.map(({ event, block }) => (event.is_own ? null : valueOf(block)));
  const redacted = await redactJson(redactor, [...values, ...words]);
  const known = new Map([...words].map((text, at) => [text, redacted[raw.length + at]?.value]));
  const clean: Clean = (text) => {
    if (text === null) return text;
    const result = known.get(text);
    if (typeof result !== "string") throw new Error("A text was to be stored that was not redacted.");
    return storableText(result);
  };
  const events = raw.map(({ event, block }, at) => {
    const content = event.is_own ? "" : contentOf(block, clean, redacted[at]?.value);
    return { ...event, tool_name: clean(event.tool_name), tool_use_id: clean(event.tool_use_id), content };
  });
  return { events, late: late.map((name) => ({ ...name, tool_name: clean(name.tool_name) })), clean };
}

/** What of a block has its texts. A call's input goes as a whole: keys tell what its texts are. */
function valueOf(block: SearchedBlock): unknown {
  if (block.block_type === "tool_use") return block.tool_input;
  return block.block_type === "unknown" ? block.metadata.raw : searchedTexts(block);
}

function contentOf(block: SearchedBlock, clean: Clean, value: unknown): string {
  if (block.block_type === "tool_use") {
    return joined(searchedTexts({ ...block, tool_name: clean(block.tool_name), tool_input: value }));
  }
  if (block.block_type === "unknown") {
    return joined(searchedTexts({ ...block, metadata: { ...block.metadata, raw: value } }));
  }
  return joined(Array.isArray(value) ? value.filter((text) => typeof text === "string") : []);
}

function joined(texts: readonly string[]): string {
  return texts.map((text) => storableText(text).replaceAll(TEXT_SEPARATOR, " ")).join(TEXT_SEPARATOR);
}
