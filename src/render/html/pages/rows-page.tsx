/** The rows of the model of one page of a session, as `transcripts show --json` prints them. */
import type { JSX } from "preact";
import { shellWord } from "../../../calls/shell-syntax.ts";
import { oneLine } from "../../../neutral-text.ts";
import { sessionPageName } from "./addresses.ts";
import { Frame, type Place } from "./frame.tsx";

export interface RowsData {
  id: string;
  title: string;
  /** Redacted. */
  rows: readonly { ordinal: number; line_number: number }[];
  page: number;
}

export function RowsPage({ data, place }: { data: RowsData; place: Place }): JSX.Element {
  const { id, title, rows, page } = data;
  const command = `transcripts show ${shellWord(id)} --with-tools --with-thinking --json`;
  return (
    <Frame place={place} title={`Rows: ${oneLine(title, 120)}`} section="sessions" command={command}>
      <p class="up">
        <a dir="auto" href={sessionPageName(page)}>
          {oneLine(title, 120)}
        </a>
      </p>
      <h1>Rows</h1>
      {rows.map((row) => (
        <section class="row" id={`m${row.ordinal}`}>
          <h2>
            <a href={`${sessionPageName(page)}#m${row.ordinal}`}>line {row.line_number}</a>
          </h2>
          <pre class="output">{JSON.stringify(row, null, 2)}</pre>
        </section>
      ))}
    </Frame>
  );
}
