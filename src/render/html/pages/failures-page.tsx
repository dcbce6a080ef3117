/** Errors of all sessions, each once, and for one of them what fixed it. */
import type { JSX } from "preact";
import { errorText } from "../../../calls/result-texts.ts";
import { shellWord } from "../../../calls/shell-syntax.ts";
import { neutralBlock, oneLine } from "../../../neutral-text.ts";
import { count, counted } from "../../../quantities.ts";
import { tellingLine } from "../../../fixes/signature.ts";
import type { PastFix } from "../../../queries/past-fixes.ts";
import type { FailureGroup } from "../../../store/store.ts";
import { closed, gist } from "../page-texts.tsx";
import { callTarget } from "../tool-input.tsx";
import { failureAddress, FAILURES, idOfPath, sessionAddress } from "./addresses.ts";
import { Diff } from "../diff-view.tsx";
import { filterOptions, Frame, type Place, When } from "./frame.tsx";
import { lastPart } from "./sessions-page.tsx";

/** A call in a session, or just the session. */
export interface CitedCall {
  session_id: string;
  title: string;
  ordinal?: number;
  time: string | null;
}

const MAX_ERROR_CHARS = 240;
const MAX_PROJECTS = 3;

/** `data`: the most frequent first. */
export function FailuresPage({ data, place }: { data: readonly FailureGroup[]; place: Place }): JSX.Element {
  return (
    <Frame place={place} title="Failures" section="failures" command={fixesCommand(place)}>
      <h1>Failures</h1>
      {data.length === 0 ? <p class="nothing">No call failed.</p> : null}
      <ol class="failures">
        {data.map((group) => (
          <li class="failure">
            <span class="times">{count(group.count)}×</span>
            <a class="message" dir="auto" href={place.root + failureAddress(idOfPath(group.signature))}>
              {gist(errorOf(group), MAX_ERROR_CHARS) || "(no message)"}
            </a>
            <About group={group} place={place} />
          </li>
        ))}
      </ol>
    </Frame>
  );
}

/** `fixes` takes no range of time. */
function fixesCommand({ only: { since: _since, until: _until, ...only } = {} }: Place): string {
  return `transcripts fixes${filterOptions({ only })}`;
}

/** Returns the message of the latest. */
function errorOf({ example }: FailureGroup): string {
  return errorText(example.content);
}

/** Returns whether a message says more than the heading. */
function hasMore(error: string): boolean {
  return error.length > MAX_ERROR_CHARS || error.split("\n").filter((line) => line.trim() !== "").length > 2;
}

function About({ group, place, times = false }: { group: FailureGroup; place: Place; times?: boolean }): JSX.Element {
  const { count: all, example, session_count: sessions, projects, latest } = group;
  const names = [...new Set(projects.map(lastPart))].map((name) => oneLine(name, 40));
  const more = names.length > MAX_PROJECTS ? ` and ${names.length - MAX_PROJECTS} more` : "";
  return (
    <span class="about">
      {times ? <span>{counted(all, "time")}</span> : null}
      {example.tool_name === null ? null : <span>{oneLine(example.tool_name, 60)}</span>}
      <span>{counted(sessions, "session")}</span>
      {names.length === 0 ? null : <span>{names.slice(0, MAX_PROJECTS).join(", ") + more}</span>}
      {latest === null ? null : (
        <span>
          last <When time={latest} place={place} day />
        </span>
      )}
    </span>
  );
}

export interface FailureData {
  group: FailureGroup;
  /** Sessions with it, newest first, and the number of others. */
  seen: { calls: readonly (CitedCall & { count: number })[]; more: number };
  fixes: readonly (PastFix & { call: CitedCall })[];
}

export function FailurePage({ data, place }: { data: FailureData; place: Place }): JSX.Element {
  const { group, seen, fixes } = data;
  const error = errorOf(group);
  const asked = tellingLine(group.example.content);
  const command = `${fixesCommand(place)}${asked.startsWith("-") ? " --" : ""} ${shellWord(asked)}`;
  return (
    <Frame place={place} title={gist(error, 120)} section="failures" command={command}>
      <p class="up">
        <a href={place.root + FAILURES}>Failures</a>
      </p>
      <h1 class="error" dir="auto">
        {gist(error, MAX_ERROR_CHARS) || "(no message)"}
      </h1>
      <About group={group} place={place} times />
      {hasMore(error) ? closed("The whole message", "", <pre class="output">{neutralBlock(error.trim())}</pre>) : null}
      <h2>What fixed it</h2>
      {fixes.length === 0 ? <p class="note">Nothing is known to have fixed it.</p> : null}
      <ol class="fixes">
        {fixes.map((fix) => (
          <li>
            {fix.words.map((text) => (
              <p dir="auto">{oneLine(text, 400)}</p>
            ))}
            {fix.steps.map(({ tool_name: tool, input, diff }) => (
              <>
                <p class="step">
                  <code>{oneLine(`${tool ?? ""} ${callTarget(tool, input, null)}`, 300)}</code>
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
