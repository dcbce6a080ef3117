/** Passages found in all sessions, each with a link to its entry. */
import type { JSX } from "preact";
import { oneLine } from "../../../neutral-text.ts";
import { count, counted } from "../../../quantities.ts";
import { type Filters, sessionAddress } from "./addresses.ts";
import { Frame, type Place, When } from "./frame.tsx";
import { type Choices, FilterBar, lastPart } from "./sessions-page.tsx";

/** A part of an excerpt; `isMatch` if it was searched for. */
export interface ExcerptPart {
  text: string;
  isMatch: boolean;
}

export interface Hit {
  session: { id: string; title: string | null; agent: string | null; project: string | null; host: string | null };
  /** Message that has the passage. */
  ordinal: number;
  time: string | null;
  /** Origin of the passage: `user`, `assistant`, `thinking`, or a tool's name. */
  kind: string;
  excerpt: readonly ExcerptPart[];
}

export interface SearchData extends Choices {
  filters: Filters & { text: string };
  /** Best first. */
  hits: readonly Hit[];
  total: number;
  /** Describes the passages, such as "No passage has the phrase; these have all words." */
  remark: string;
  /** Says which sessions were searched, and which were not. */
  scope: string;
  command: string;
}

export function SearchPage({ data, place }: { data: SearchData; place: Place }): JSX.Element {
  const { filters, hits, total, remark, scope, command } = data;
  const { text } = filters;
  const groups = Map.groupBy(hits, ({ session }) => session.id);
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
  const { id, title, agent, project, host } = first.session;
  return (
    <article class="hit">
      <h2>
        <a dir="auto" href={place.root + sessionAddress(id)}>
          {oneLine(title ?? "", 200) || "(no title)"}
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
            <span class="kind">{oneLine(hit.kind, 40)}</span> <When time={hit.time} place={place} day />
          </a>
          <q dir="auto">
            {hit.excerpt.map(({ text, isMatch }) => (isMatch ? <mark>{oneSpace(text)}</mark> : oneSpace(text)))}
          </q>
        </p>
      ))}
    </article>
  );
}

/** Keeps the space at the ends of a part, between it and the next. */
function oneSpace(text: string): string {
  const [start, end] = [/^\s/.test(text) ? " " : "", /\s$/.test(text) ? " " : ""];
  const line = oneLine(text, text.length + 1);
  return line === "" ? start : start + line + end;
}
