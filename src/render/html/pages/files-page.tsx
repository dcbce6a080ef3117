/** Files that sessions read or changed, and for one file every session that did. */
import type { JSX } from "preact";
import { oneLine } from "../../../neutral-text.ts";
import { count } from "../../../quantities.ts";
import { fileAddress, FILES, sessionAddress } from "./addresses.ts";
import { Frame, type Place, When } from "./frame.tsx";
import { lastPart } from "./sessions-page.tsx";

export interface FileRow {
  id: string;
  path: string;
  sessions: number;
  changes: number;
  last: string | null;
}

export interface FilesData {
  /** Files used last, newest first. */
  rows: readonly FileRow[];
  command: string;
}

export function FilesPage({ data, place }: { data: FilesData; place: Place }): JSX.Element {
  const { rows, command } = data;
  return (
    <Frame place={place} title="Files" section="files" command={command}>
      <h1>Files</h1>
      {rows.length === 0 ? <p class="nothing">No session read or changed a file.</p> : null}
      {rows.length === 0 ? null : (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col">Sessions</th>
              <th scope="col">Changes</th>
              <th scope="col">Last used</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, path, sessions, changes, last }) => (
              <tr>
                <th scope="row">
                  <a href={place.root + fileAddress(id)} title={oneLine(path, 400)}>
                    {oneLine(lastPart(path), 80)}
                  </a>{" "}
                  <span class="quiet">{oneLine(path.slice(0, -lastPart(path).length), 120)}</span>
                </th>
                <td class="number">{count(sessions)}</td>
                <td class="number">{changes === 0 ? "" : count(changes)}</td>
                <td class="number">
                  <When time={last} place={place} day />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Frame>
  );
}

export interface FileUse {
  session_id: string;
  title: string;
  ordinal: number;
  time: string | null;
  reads: number;
  changes: number;
}

export interface FileData {
  path: string;
  /** Newest first. */
  uses: readonly FileUse[];
  command: string;
}

export function FilePage({ data, place }: { data: FileData; place: Place }): JSX.Element {
  const { path, uses, command } = data;
  return (
    <Frame place={place} title={oneLine(lastPart(path), 120)} section="files" command={command}>
      <p class="up">
        <a href={place.root + FILES}>Files</a>
      </p>
      <h1 class="path">{oneLine(path, 400)}</h1>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Session</th>
            <th scope="col">Read</th>
            <th scope="col">Changed</th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {uses.map((use) => (
            <tr>
              <th scope="row">
                <a dir="auto" href={place.root + sessionAddress(use.session_id, use.ordinal)}>
                  {oneLine(use.title, 200) || use.session_id}
                </a>
              </th>
              <td class="number">{use.reads === 0 ? "" : count(use.reads)}</td>
              <td class="number">{use.changes === 0 ? "" : count(use.changes)}</td>
              <td class="number">
                <When time={use.time} place={place} day />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Frame>
  );
}
