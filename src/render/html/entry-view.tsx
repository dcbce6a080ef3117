import type { JSX } from "preact";
import { jsonText } from "../../parse/json-fields.ts";
import type { BlockType, ParsedContentBlock, TranscriptMessage } from "../../parse/model.ts";
import type { Clock } from "./view.ts";
import { closed, longText } from "./page-texts.tsx";
import { oneLine } from "../../neutral-text.ts";
import { duration } from "../../quantities.ts";

const WORK: ReadonlySet<BlockType> = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking"]);

/** Returns the CSS classes of an entry. */
export function entryClass(
  speaker: string,
  { metadata }: TranscriptMessage,
  blocks: readonly ParsedContentBlock[],
  again: boolean,
): string {
  const parts = ["entry", `by-${speaker.toLowerCase().replace(" ", "-")}`];
  if (again) parts.push("again");
  if (metadata.origin === "command") parts.push("command");
  if (blocks.length > 0 && blocks.every(({ block_type: type }) => WORK.has(type))) parts.push("work");
  if (blocks[0]?.block_type === "tool_use") parts.push("calls");
  return parts.join(" ");
}

/** Renders speaker, time, and the line in the session, as `show --line` takes it, with a link to the entry. `model`: null if it is the previous one. */
export function stamp(
  message: TranscriptMessage,
  { speaker, anchor, clock, model }: { speaker: string; anchor: string; clock: Clock; model: string | null },
): JSX.Element {
  const { timestamp } = message;
  return (
    <div class="stamp">
      <span class="who">{speaker}</span>
      {timestamp === null ? null : timeView(timestamp, clock)}
      <a class="permalink" href={`#${anchor}`} aria-label={`Link to the entry on line ${message.line_number}`}>
        line {message.line_number}
      </a>
      {model === null ? null : <span class="model">{oneLine(model, 80)}</span>}
    </div>
  );
}

/** Renders the time of day, with the full date in the tooltip. */
export function timeView(timestamp: string, clock: Clock): JSX.Element {
  const text = oneLine(clock.time(timestamp), 40);
  if (Number.isNaN(Date.parse(timestamp))) return <span>{text}</span>;
  return (
    <time datetime={timestamp} title={`${clock.dateAndTime(timestamp)}, ${clock.zone}`}>
      {text}
    </time>
  );
}

export function eventName({ message_type: type, metadata }: TranscriptMessage): JSX.Element | null {
  if (type !== "system") return null;
  const name = oneLine(metadata.subtype ?? "event", 80).replaceAll("_", " ");
  const took = metadata["duration_ms"];
  return <p class="note event">{typeof took === "number" ? `${name}: ${duration(took)}` : name}</p>;
}

export function remarks(
  { metadata, message_type: type, line_number: line }: TranscriptMessage,
  blockCount: number,
): JSX.Element[] {
  const found: JSX.Element[] = [];
  if (type === "system" && metadata["error"] !== undefined) {
    const text = jsonText(metadata["error"], 2);
    found.push(closed("Error", text, longText(text, { line, kind: "text" })));
  }
  if (type !== "system" && blockCount === 0) found.push(<p class="note">Nothing was recorded of it.</p>);
  if (metadata.interrupted === true) found.push(<p class="note">Cut off here.</p>);
  return found;
}
