/** Passages found in all sessions, each with a link to its entry. */
import type { ComponentChildren, JSX } from "preact";
import { shellWord } from "../../../calls/shell-syntax.ts";
import { oneLine } from "../../../neutral-text.ts";
import { hostOf } from "../../../places/session-ref.ts";
import type { FoundPassage } from "../../../queries/find-passages.ts";
import { storedTitle } from "../../../queries/stored-session.ts";
import { count, counted } from "../../../quantities.ts";
import { type Filters, sessionAddress } from "./addresses.ts";
import { filterOptions, Frame, type Place, When } from "./frame.tsx";
import { type Choices, FilterBar, lastPart } from "./sessions-page.tsx";

/** `ordinal`: of the message that has the passage. */
export type Hit = FoundPassage & { ordinal: number };

export interface SearchData extends Choices {
  filters: Filters & { text: string };
  /** Best first. */
  hits: readonly Hit[];
  total: number;
  /** Describes the passages, such as "No passage has the phrase; these have all the words." */
  remark: string;
  /** Says which sessions were searched, and which were not. */
  scope: string;
}

export function SearchPage({ data, place }: { data: SearchData; place: Place }): JSX.Element {
  const { filters, hits, total, remark, scope } = data;
  const { text } = filters;
  const words = text.split(/\s+/);
  const options = `${filters.failed === true ? " --errors" : ""}${filterOptions(place, filters)}`;
  // What follows two dashes are words, such as an option that was searched for.
  const dashes = words.some((word) => word.startsWith("-")) ? " --" : "";
  const command = `transcripts find${options}${dashes} ${words.map(shellWord).join(" ")}`;
  const groups = Map.groupBy(hits, ({ session_id: id }) => id);
  return (
    <Frame place={place} title={`Search: ${oneLine(text, 80)}`} section="sessions" {...{ text, command }}>
      <h1>
        {total === 0 ? "Nothing found" : counted(total, "passage")} <span class="quiet">{oneLine(text, 120)}</span>
      </h1>
      <FilterBar data={data} place={place} />
      <p class="note">{[remark, scope].filter((part) => part !== "").join(" ")}</p>
      <ol class="hits">
        {[...groups.values()].map((each) => (
          <li>
            <Group hits={each} place={place} />
          </li>
        ))}
      </ol>
      {hits.length < total ? (
        <p class="note">The best {count(hits.length)} are shown. More words, or a filter, narrow the search.</p>
      ) : null}
    </Frame>
  );
}

function Group({ hits, place }: { hits: readonly Hit[]; place: Place }): JSX.Element | null {
  const [first] = hits;
  if (first === undefined) return null;
  const { session_id: id, session } = first;
  const { agent, project } = session.ref;
  const host = hostOf(session.ref);
  return (
    <article class="hit">
      <h2>
        <a dir="auto" href={place.root + sessionAddress(id)}>
          {oneLine(storedTitle(session.stored), 200)}
        </a>
        <span class="about">
          {project === null ? null : <span>{oneLine(lastPart(project), 60)}</span>}
          {agent === null ? null : <span>{agent}</span>}
          {host === null ? null : <span>on {oneLine(host, 60)}</span>}
        </span>
      </h2>
      {hits.map((hit) => (
        <p class="passage">
          <a class="where" href={place.root + sessionAddress(id, hit.ordinal)}>
            <span class="kind">{oneLine(hit.tool_name ?? hit.block_type, 40)}</span>{" "}
            <When time={hit.occurred_at} place={place} day />
          </a>
          <q dir="auto">{excerpt(hit)}</q>
        </p>
      ))}
    </article>
  );
}

/** Marks what was searched for. */
function excerpt({ passage, matches }: FoundPassage): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const [start, end] of matches) {
    parts.push(oneSpace(passage.slice(at, start)), <mark>{oneSpace(passage.slice(start, end))}</mark>);
    at = end;
  }
  return [...parts, oneSpace(passage.slice(at))];
}

/** Keeps the space at the ends of a part, between it and the next. */
function oneSpace(text: string): string {
  const [start, end] = [/^\s/.test(text) ? " " : "", /\s$/.test(text) ? " " : ""];
  const line = oneLine(text, text.length + 1);
  return line === "" ? start : start + line + end;
}
