/** Files that sessions read or changed, and for one file every session that did. */
import type { JSX } from "preact";
import { oneLine } from "../../../neutral-text.ts";
import { shellWord } from "../../../calls/shell-syntax.ts";
import { count } from "../../../quantities.ts";
import type { FileUse, TouchedSums } from "../../../store/store.ts";
import { fileAddress, FILES, idOfPath, sessionAddress } from "./addresses.ts";
import { filterOptions, Frame, type Place, When } from "./frame.tsx";
import { lastPart } from "./sessions-page.tsx";

/** `data`: those used last first. */
export function FilesPage({ data, place }: { data: readonly TouchedSums[]; place: Place }): JSX.Element {
  return (
    <Frame place={place} title="Files" section="files" command={`transcripts find --file PATH${filterOptions(place)}`}>
      <h1>Files</h1>
      {data.length === 0 ? <p class="nothing">No session read or changed a file.</p> : null}
      {data.length === 0 ? null : (
        <table class="list files">
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col">Sessions</th>
              <th scope="col">Changes</th>
              <th scope="col">Last used</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ path, sessions, changes, last }) => (
              <tr>
                <th scope="row">
                  <a href={place.root + fileAddress(idOfPath(path))} title={oneLine(path, 400)}>
                    {oneLine(lastPart(path), 80)}
                  </a>{" "}
                  <span class="quiet">{oneLine(path.slice(0, -lastPart(path).length), 120)}</span>
                </th>
                <td class="number" data-unit={sessions === 1 ? "session" : "sessions"}>
                  {count(sessions)}
                </td>
                <td class="number" data-unit={changes === 1 ? "change" : "changes"}>
                  {changes === 0 ? "" : count(changes)}
                </td>
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

export interface FileData {
  path: string;
  /** Newest first. */
  uses: readonly (FileUse & { title: string })[];
}

export function FilePage({ data, place }: { data: FileData; place: Place }): JSX.Element {
  const { path, uses } = data;
  const command = `transcripts find --file ${shellWord(path)}${filterOptions(place)}`;
  return (
    <Frame place={place} title={oneLine(lastPart(path), 120)} section="files" command={command}>
      <p class="up">
        <a href={place.root + FILES}>Files</a>
      </p>
      <h1 class="path">{oneLine(path, 400)}</h1>
      <table class="list files">
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
              <td class="number" data-unit="read">
                {use.reads === 0 ? "" : count(use.reads)}
              </td>
              <td class="number" data-unit="changed">
                {use.changes === 0 ? "" : count(use.changes)}
              </td>
              <td class="number">
                <When time={use.last} place={place} day />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Frame>
  );
}
