import { h, type JSX } from "preact";
import type { BlockType, ParsedContentBlock, TranscriptMessage } from "../parse/model.ts";
import type { Clock } from "./clock.ts";
import { jsonText } from "./json-text.ts";
import { LongText } from "./long-text.ts";
import { closed } from "./closed.ts";
import { oneLine } from "./excerpt.ts";
import { duration } from "./quantities.ts";

const WORK: ReadonlySet<BlockType> = new Set(["tool_use", "tool_result"]);
const THOUGHT: ReadonlySet<BlockType> = new Set(["thinking", "redacted_thinking"]);

/** Who speaks, as the page calls it. What a subagent is asked comes from the agent that started it. */
export function speakerOf(message: TranscriptMessage, toSubagent: boolean): string {
  const { message_type: type, user_kind: kind, metadata } = message;
  if (type === "assistant") return metadata.is_api_error === true ? "API error" : "Assistant";
  if (type === "summary") return "Summary";
  if (type === "system") return "Event";
  if (kind === "tool_result") return "Tool";
  const isTyped = kind === "human" && metadata.origin !== "command_output" && metadata.origin !== "notification";
  if (!isTyped) return "Program";
  return toSubagent ? "Prompt" : "User";
}

/** Classes that say how an entry looks, and what is left of it when calls or thinking are hidden. */
export function entryClass(
  speaker: string,
  { metadata }: TranscriptMessage,
  blocks: readonly ParsedContentBlock[],
  again: boolean,
): string {
  const isWork = blocks.map((block) => WORK.has(block.block_type));
  const isThought = blocks.map((block) => THOUGHT.has(block.block_type));
  const parts = ["entry", `by-${speaker.toLowerCase().replace(" ", "-")}`];
  if (again) parts.push("again");
  if (metadata.origin === "command") parts.push("command");
  if (blocks.length > 0) {
    if (isWork.every(Boolean)) parts.push("only-calls");
    else if (isThought.every(Boolean)) parts.push("only-thinking");
    else if (blocks.every((_, index) => isWork[index] || isThought[index])) parts.push("only-work");
  }
  return parts.join(" ");
}

interface StampProps {
  speaker: string;
  message: TranscriptMessage;
  anchor: string;
  clock: Clock;
  /** The model, where it is another than before. */
  model: string | null;
}

/** Who, when, and the entry's number, which is a link to it. */
export function Stamp({ speaker, message, anchor, clock, model }: StampProps): JSX.Element {
  const { timestamp } = message;
  return h(
    "div",
    { class: "stamp" },
    h("span", { class: "who" }, speaker),
    timestamp === null ? null : h(Time, { timestamp, clock }),
    h(
      "a",
      { class: "permalink", href: `#${anchor}`, "aria-label": `Link to entry ${message.ordinal}` },
      `#${message.ordinal}`,
    ),
    model === null ? null : h("span", { class: "model" }, oneLine(model, 80)),
  );
}

/** The time of day; the whole date is in the tooltip. */
export function Time({ timestamp, clock }: { timestamp: string; clock: Clock }): JSX.Element {
  const isTime = clock.date(timestamp) !== undefined;
  const props = isTime ? { datetime: timestamp, title: `${clock.dateAndTime(timestamp)}, ${clock.zone}` } : {};
  return h(isTime ? "time" : "span", props, oneLine(clock.time(timestamp), 40));
}

/** Of an event, what happened; stands above its text. */
export function eventName({ message_type: type, metadata }: TranscriptMessage): JSX.Element | null {
  if (type !== "system") return null;
  const name = oneLine(metadata.subtype ?? "event", 80).replaceAll("_", " ");
  const took = metadata["duration_ms"];
  return h("p", { class: "note event" }, typeof took === "number" ? `${name}: ${duration(took)}` : name);
}

/** What is to be said of an entry after its blocks. */
export function remarks(
  { metadata, message_type: type, line_number: line }: TranscriptMessage,
  blockCount: number,
): JSX.Element[] {
  const found: JSX.Element[] = [];
  if (type === "system" && metadata["error"] !== undefined) {
    const text = jsonText(metadata["error"]);
    found.push(closed({ name: "Error", preview: text }, h(LongText, { text, line, kind: "text" })));
  }
  if (type !== "system" && blockCount === 0) found.push(h("p", { class: "note" }, "Nothing was recorded of it."));
  if (metadata.interrupted === true) found.push(h("p", { class: "note" }, "Cut off here."));
  return found;
}
