/** The list of turns of a session. */
import type { JSX } from "preact";
import { oneLine } from "../../neutral-text.ts";
import { saidIn } from "../../parse/turns.ts";
import { count, counted, dollars } from "../../quantities.ts";
import { timeView } from "./entry-view.tsx";
import type { Outline } from "./outline.ts";
import { details } from "./page-texts.tsx";
import type { Anchors, Clock } from "./view.ts";

/** A turn in the list. */
export interface TurnRow {
  number: number;
  /** Address of its beginning. */
  href: string;
  title: string;
  time: string | null;
  calls: number;
  failed: number;
  /** Address of the first call that failed; null if none did. */
  failure: string | null;
  /** Null if it is not known, or not shown. */
  cost_usd: number | null;
}

/** Returns the turns of a session that is on one page. */
export function turnsIn({ turns, calls: paired }: Outline, anchors: Anchors): TurnRow[] {
  return turns.flatMap(({ number, prompt, messages }) => {
    if (prompt === undefined) return [];
    const calls = messages.flatMap(({ message, blocks }) =>
      blocks
        .filter(({ block_type: type }) => type === "tool_use")
        .map(({ id, block_order: order }) => ({ id, anchor: anchors.block(message.ordinal, order) })),
    );
    const failed = calls.filter(({ id }) => paired.get(id)?.call.status === "error");
    return [
      {
        number,
        href: `#turn-${number}`,
        title: shortTitle(saidIn(prompt)),
        time: prompt.message.timestamp,
        calls: calls.length,
        failed: failed.length,
        failure: failed[0] === undefined ? null : `#${failed[0].anchor}`,
        cost_usd: null,
      },
    ];
  });
}

export function turnList(turns: readonly TurnRow[], clock: Clock): JSX.Element {
  const links = turns.map((turn) => turnLink(turn, clock));
  return (
    <nav class="outline" aria-label="Turns">
      {details("turns", [counted(links.length, "turn")], <ol>{links}</ol>)}
    </nav>
  );
}

function turnLink(turn: TurnRow, clock: Clock): JSX.Element {
  const { number, href, title, time, calls, failed, failure, cost_usd: cost } = turn;
  return (
    <li>
      <a href={href}>
        <span class="number">{count(number)}</span>
        <span class="title">{title}</span>
      </a>
      <div class="about">
        {time === null ? null : timeView(time, clock)}
        {calls === 0 ? null : <span>{counted(calls, "call")}</span>}
        {failed === 0 ? null : <FailedCount count={failed} first={failure} />}
        {cost === null || cost === 0 ? null : <span>{dollars(cost)}</span>}
      </div>
    </li>
  );
}

/** Number of calls that failed, with a link to the first. */
export function FailedCount({ count: failed, first }: { count: number; first: string | null }): JSX.Element {
  const text = `${count(failed)} failed`;
  if (first === null) return <span class="failed">{text}</span>;
  return (
    <a class="failed" href={first}>
      {text}
    </a>
  );
}

const MAX_TURN_TITLE_CHARS = 140;

/** Shortens the text of a prompt for the list. */
export function shortTitle(text: string): string {
  return oneLine(text, MAX_TURN_TITLE_CHARS) || "(no text)";
}
