/** Reads a part of a session. */
import picocolors from "picocolors";
import type { TranscriptMessage } from "../parse/model.ts";
import { redactView } from "../parse/redact-rows.ts";
import type { MessageView } from "../parse/turns.ts";
import { counted } from "../quantities.ts";
import { type Unit, unitsOf } from "../queries/session-units.ts";
import { sharedRedactor } from "../redact/redactor.ts";
import { readHead } from "../sessions/file-ref.ts";
import { type ConversationStyle, messageText } from "../render/text/conversation-text.ts";
import { fieldError, TranscriptsError } from "../transcripts-error.ts";
import { answerText } from "./answer-text.ts";
import { execution } from "./execution.ts";
import { sessionAsked, sessionHeading } from "./session-heading.ts";
import { DEFAULT_CHARS, READ_SESSION } from "./tool-definitions.ts";
import type { ToolArguments } from "./tool.ts";

const DEFAULT_LIMIT = 100;
/** Number of messages shown before a requested line. */
const CONTEXT_MESSAGES = 3;

export const execute = execution(READ_SESSION, async (args, context) => {
  const { limit = DEFAULT_LIMIT, offset = 0, max_chars: maxChars = DEFAULT_CHARS, line } = args;
  const range = rangeOf(args);
  const ref = await readHead(await sessionAsked(args.session, context));
  const style: ConversationStyle = {
    colors: picocolors.createColors(false),
    withTools: args.with_tools ?? false,
    withThinking: args.with_thinking ?? false,
    summary: false,
    numbered: true,
    marked: line,
    isWhole: true,
    calls: undefined,
  };
  const units = (): AsyncGenerator<Unit> => unitsOf(ref, { subagents: line !== undefined, signal: context.signal });
  const isShown = (view: MessageView): boolean => messageText(view, style) !== "";
  const items: string[] = [];
  let previous: TranscriptMessage | undefined;
  let [passed, chars] = [0, 0];
  let hasMore = false;
  for await (const view of selected(units, range, isShown)) {
    if (!isShown(view)) continue;
    passed += 1;
    if (passed <= offset) continue;
    hasMore = items.length >= limit || chars > maxChars;
    if (hasMore) break;
    const text = messageText(await redactView(view, sharedRedactor()), style, previous);
    items.push(`${text.trimEnd()}\n`);
    previous = view.message;
    chars += text.length;
  }
  const heading = await sessionHeading(ref);
  const head = (shown: number): string[] => [heading, ...(shown === 0 ? ["", "There is nothing to show here."] : [""])];
  return { text: answerText({ head, items, offset, hasMore, maxChars }) };
});

type Range =
  | { kind: "all" }
  | { kind: "line"; line: number }
  | { kind: "turns"; first: number; last: number }
  | { kind: "last"; count: number };

/** Throws a `TranscriptsError` (`bad_arguments`). */
function rangeOf({ line, turns }: ToolArguments<(typeof READ_SESSION)["args"]>): Range {
  if (line === undefined) return turns === undefined ? { kind: "all" } : turnsIn(turns);
  if (turns === undefined) return { kind: "line", line };
  throw new TranscriptsError("bad_arguments", "line and turns exclude each other.", "Pass one of them.", {
    field: "turns",
  });
}

function turnsIn(text: string): Range {
  const [, last] = /^-(\d{1,9})$/.exec(text.trim()) ?? [];
  if (last !== undefined && Number(last) > 0) return { kind: "last", count: Number(last) };
  const [, from, , to] = /^(\d{1,9})(\s*-\s*(\d{1,9}))?$/.exec(text.trim()) ?? [];
  const first = Number(from ?? "x");
  const end = Number(to ?? first);
  if (end >= first) return { kind: "turns", first, last: end };
  const problem = `${JSON.stringify(text.slice(0, 40))} is not a range of turns.`;
  const next = 'Write "3" for the third, "3-5" for three of them, or "-2" for the last two.';
  throw fieldError("bad_arguments", "turns", problem, next);
}

/** Yields the messages of the range. Throws a `TranscriptsError` (`out_of_range`) if the session has no such place. */
async function* selected(
  units: () => AsyncIterable<Unit>,
  range: Range,
  isShown: (view: MessageView) => boolean,
): AsyncGenerator<MessageView> {
  if (range.kind === "all") for await (const unit of units()) yield* viewsIn(unit);
  else if (range.kind === "line") yield* aroundLine(units(), range.line, isShown);
  else if (range.kind === "turns") yield* ofTurns(units(), range.first, range.last);
  else {
    let last = 0;
    for await (const { entries } of units()) last = entries.at(-1)?.turn ?? last;
    yield* ofTurns(units(), Math.max(last - range.count + 1, Math.min(last, 1)), Number.MAX_SAFE_INTEGER);
  }
}

async function* aroundLine(
  units: AsyncIterable<Unit>,
  line: number,
  isShown: (view: MessageView) => boolean,
): AsyncGenerator<MessageView> {
  let before: MessageView[] = [];
  let lastLine = 0;
  for await (const unit of units) {
    const isBefore = unit.lastLine < line && lastLine < line;
    lastLine = unit.lastLine;
    const views = viewsIn(unit);
    if (isBefore) before = [...before, ...views.filter(isShown)].slice(-CONTEXT_MESSAGES);
    else {
      yield* before;
      before = [];
      yield* views;
    }
  }
  if (line <= lastLine) return;
  const problem = `The session has nothing at line ${line}: its last entry is on line ${lastLine}.`;
  throw outOfRange("line", problem, `Pass a line up to ${lastLine}, or turns: "-1".`);
}

async function* ofTurns(units: AsyncIterable<Unit>, first: number, last: number): AsyncGenerator<MessageView> {
  let turn = 0;
  let isEmpty = true;
  for await (const unit of units) {
    turn = unit.entries.at(-1)?.turn ?? turn;
    const views = viewsIn(unit, (at) => at >= first && at <= last);
    isEmpty &&= views.length === 0;
    yield* views;
    if (turn > last) break;
  }
  if (!isEmpty) return;
  // The only turn that can be missing before others is turn 0.
  if (last === 0 && turn > 0) {
    const problem = "There is nothing before the first prompt, which begins turn 1.";
    throw outOfRange("turns", problem, 'Pass turns: "1" for the first one.');
  }
  if (turn >= first) return;
  throw outOfRange("turns", `The session has ${counted(turn, "turn")}.`, `Pass turns: "${turn}" for the last one.`);
}

function outOfRange(field: string, problem: string, next: string): TranscriptsError {
  return new TranscriptsError("out_of_range", problem, next, { field });
}

/** Returns the messages of a unit. A result gets the tool of its call. */
function viewsIn({ entries }: Unit, isTurn: (turn: number) => boolean = () => true): MessageView[] {
  const wanted = entries.filter(({ turn }) => isTurn(turn));
  return [...Map.groupBy(wanted, ({ message }) => message)].map(([message, of]) => ({
    message,
    blocks: of.map(({ block, tool }) => ({ ...block, tool_name: block.tool_name ?? tool })),
  }));
}
