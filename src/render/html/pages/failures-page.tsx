/** Errors of all sessions, each once, and for one of them what fixed it. */
import type { JSX } from "preact";
import { neutralBlock, oneLine } from "../../../neutral-text.ts";
import { count, counted } from "../../../quantities.ts";
import { gist } from "../page-texts.tsx";
import { failureAddress, FAILURES, sessionAddress } from "./addresses.ts";
import { Diff } from "../diff-view.tsx";
import { Frame, type Place, When } from "./frame.tsx";
import { lastPart } from "./sessions-page.tsx";

/** A call in a session, or just the session. */
export interface CitedCall {
  session_id: string;
  title: string;
  ordinal?: number;
  time: string | null;
}

export interface FailureRow {
  /** `idOfPath` of its signature. */
  id: string;
  /** Message of the latest. */
  error: string;
  tool: string | null;
  count: number;
  sessions: number;
  /** Folders. */
  projects: readonly string[];
  latest: string | null;
}

export interface FailuresData {
  /** Most frequent first. */
  rows: readonly FailureRow[];
  command: string;
}

const MAX_ERROR_CHARS = 240;
const MAX_PROJECTS = 3;

export function FailuresPage({ data, place }: { data: FailuresData; place: Place }): JSX.Element {
  const { rows, command } = data;
  return (
    <Frame place={place} title="Failures" section="failures" command={command}>
      <h1>Failures</h1>
      {rows.length === 0 ? <p class="nothing">No call failed.</p> : null}
      <ol class="failures">
        {rows.map((row) => (
          <li class="failure">
            <span class="times">{count(row.count)}×</span>
            <a class="message" dir="auto" href={place.root + failureAddress(row.id)}>
              {gist(row.error, MAX_ERROR_CHARS) || "(no message)"}
            </a>
            <About row={row} place={place} />
          </li>
        ))}
      </ol>
    </Frame>
  );
}

/** Returns whether a message says more than the heading. */
function hasMore(error: string): boolean {
  return error.length > MAX_ERROR_CHARS || error.split("\n").filter((line) => line.trim() !== "").length > 2;
}

function About({ row, place, times = false }: { row: FailureRow; place: Place; times?: boolean }): JSX.Element {
  const names = [...new Set(row.projects.map(lastPart))].map((name) => oneLine(name, 40));
  const more = names.length > MAX_PROJECTS ? ` and ${names.length - MAX_PROJECTS} more` : "";
  return (
    <span class="about">
      {times ? <span>{counted(row.count, "time")}</span> : null}
      {row.tool === null ? null : <span>{oneLine(row.tool, 60)}</span>}
      <span>{counted(row.sessions, "session")}</span>
      {names.length === 0 ? null : <span>{names.slice(0, MAX_PROJECTS).join(", ") + more}</span>}
      {row.latest === null ? null : (
        <span>
          last <When time={row.latest} place={place} day />
        </span>
      )}
    </span>
  );
}

export interface Fix {
  /** Times it fixed this error. */
  count: number;
  /** Steps of the agent between the failure and the success, as short lines, with their diffs. */
  steps: readonly { text: string; diff: string }[];
  /** Change of the call that then passed; empty if it is the same. */
  diff: string;
  /** The agent's own words about it. */
  words: readonly string[];
  call: CitedCall;
}

export interface FailureData {
  row: FailureRow;
  /** Sessions with it, newest first, and the number of others. */
  seen: { calls: readonly (CitedCall & { count: number })[]; more: number };
  fixes: readonly Fix[];
  command: string;
}

export function FailurePage({ data, place }: { data: FailureData; place: Place }): JSX.Element {
  const { row, seen, fixes, command } = data;
  return (
    <Frame place={place} title={gist(row.error, 120)} section="failures" command={command}>
      <p class="up">
        <a href={place.root + FAILURES}>Failures</a>
      </p>
      <h1 class="error" dir="auto">
        {gist(row.error, MAX_ERROR_CHARS) || "(no message)"}
      </h1>
      <About row={row} place={place} times />
      {hasMore(row.error) ? <pre class="output">{neutralBlock(row.error.trim())}</pre> : null}
      <h2>What fixed it</h2>
      {fixes.length === 0 ? <p class="note">Nothing is known to have fixed it.</p> : null}
      <ol class="fixes">
        {fixes.map((fix) => (
          <li>
            {fix.words.map((text) => (
              <p dir="auto">{oneLine(text, 400)}</p>
            ))}
            {fix.steps.map(({ text, diff }) => (
              <>
                <p class="step">
                  <code>{oneLine(text, 300)}</code>
                </p>
                {diff === "" ? null : <Diff text={diff} />}
              </>
            ))}
            {fix.diff === "" ? null : <Diff text={fix.diff} />}
            <p class="note">
              {fix.steps.length + fix.diff.length === 0 ? "The same call passed: " : "Then it passed: "}
              <Cited call={fix.call} place={place} />
              {fix.count > 1 ? `, and ${counted(fix.count - 1, "time")} more` : ""}
            </p>
          </li>
        ))}
      </ol>
      <h2>Where it came up</h2>
      <ul class="plain-list">
        {seen.calls.map((call) => (
          <li>
            <Cited call={call} place={place} />
            {call.count > 1 ? <span class="quiet">, {counted(call.count, "time")}</span> : null}
          </li>
        ))}
      </ul>
      {seen.more > 0 ? <p class="note">and in {counted(seen.more, "older session")}</p> : null}
    </Frame>
  );
}

function Cited({ call, place }: { call: CitedCall; place: Place }): JSX.Element {
  return (
    <>
      <a dir="auto" href={place.root + sessionAddress(call.session_id, call.ordinal)}>
        {oneLine(call.title, 120) || call.session_id}
      </a>{" "}
      <span class="quiet">
        <When time={call.time} place={place} day />
      </span>
    </>
  );
}
