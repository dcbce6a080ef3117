/** A session's changes to files. */
import type { JSX } from "preact";
import { oneLine } from "../../../neutral-text.ts";
import { count, counted } from "../../../quantities.ts";
import { fileAddress, sessionAddress } from "./addresses.ts";
import { Diff } from "../diff-view.tsx";
import { Frame, type Place } from "./frame.tsx";

export interface ChangedFile {
  /** See `idOfPath`; null if the file is not known. */
  id: string | null;
  path: string;
  /** The path, from the session's folder on if it is in it. */
  name: string;
  /** Unified diff of all changes in order; empty if only a shell command wrote it. */
  diff: string;
  added: number;
  removed: number;
  /** Messages with the calls. */
  ordinals: readonly number[];
  /** Shell commands that wrote it, whose change is not known. */
  commands: readonly string[];
}

export interface ChangesData {
  session: { id: string; title: string | null };
  files: readonly ChangedFile[];
  command: string;
}

export function ChangesPage({ data, place }: { data: ChangesData; place: Place }): JSX.Element {
  const { session, files, command } = data;
  const title = oneLine(session.title ?? "", 200) || session.id;
  const sum = (pick: (file: ChangedFile) => number): number => files.reduce((total, file) => total + pick(file), 0);
  return (
    <Frame place={place} title={`Changes: ${title}`} section="sessions" command={command}>
      <p class="up">
        <a dir="auto" href={place.root + sessionAddress(session.id)}>
          {title}
        </a>
      </p>
      <h1>
        Changes <span class="quiet">{counted(files.length, "file")}</span>{" "}
        <Lines added={sum(({ added }) => added)} removed={sum(({ removed }) => removed)} />
      </h1>
      {files.length === 0 ? <p class="nothing">This session changed no file.</p> : null}
      {files.map((file) => (
        <details class="changed" open={files.length <= 20}>
          <summary>
            <span class="target" title={oneLine(file.path, 400)}>
              {oneLine(file.name, 300)}
            </span>
            <Lines added={file.added} removed={file.removed} />
          </summary>
          <div class="inside">
            {file.diff === "" ? null : <Diff text={file.diff} />}
            {file.commands.map((line) => (
              <p class="note">
                Changed by a command; what it changed is not known: <code>{oneLine(line, 300)}</code>
              </p>
            ))}
            <p class="note">
              {file.ordinals.slice(0, 20).map((ordinal, at) => (
                <>
                  <a href={place.root + sessionAddress(session.id, ordinal)}>
                    {file.ordinals.length === 1 ? "the call" : `call ${at + 1}`}
                  </a>{" "}
                </>
              ))}
              {file.id === null ? null : <a href={place.root + fileAddress(file.id)}>all sessions with this file</a>}
            </p>
          </div>
        </details>
      ))}
    </Frame>
  );
}

function Lines({ added, removed }: { added: number; removed: number }): JSX.Element | null {
  if (added + removed === 0) return null;
  return (
    <span class="lines">
      {added === 0 ? null : <span class="plus">+{count(added)}</span>}{" "}
      {removed === 0 ? null : <span class="minus">−{count(removed)}</span>}
    </span>
  );
}
