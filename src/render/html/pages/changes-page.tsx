/** A session's changes to files. */
import type { JSX } from "preact";
import { shellWord } from "../../../calls/shell-syntax.ts";
import { oneLine } from "../../../neutral-text.ts";
import { count, counted } from "../../../quantities.ts";
import type { FileChanges } from "../../../queries/file-changes.ts";
import { withoutFolder } from "../tool-input.tsx";
import { fileAddress, idOfPath, sessionAddress } from "./addresses.ts";
import { Diff } from "../diff-view.tsx";
import { Frame, type Place } from "./frame.tsx";

export interface ChangesData {
  session: { id: string; title: string; cwd: string | null };
  files: readonly FileChanges[];
  /** Ordinals of the messages with the calls, by their ids. */
  ordinals: ReadonlyMap<string | null, number>;
}

export function ChangesPage({ data, place }: { data: ChangesData; place: Place }): JSX.Element {
  const { session, files } = data;
  const title = oneLine(session.title, 200);
  const command = `transcripts changes ${shellWord(session.id)}`;
  return (
    <Frame place={place} title={`Changes: ${title}`} section="sessions" command={command}>
      <p class="up">
        <a dir="auto" href={place.root + sessionAddress(session.id)}>
          {title}
        </a>
      </p>
      <h1>
        Changes <span class="quiet">{counted(files.length, "file")}</span> <Lines diff={files.map(diffOf).join("\n")} />
      </h1>
      {files.length === 0 ? <p class="nothing">This session changed no file.</p> : null}
      {files.map((file) => (
        <File file={file} data={data} place={place} />
      ))}
    </Frame>
  );
}

const MAX_CALLS = 20;

function File({ file, data, place }: { file: FileChanges; data: ChangesData; place: Place }): JSX.Element {
  const { session, files, ordinals } = data;
  const { path, changes } = file;
  const diff = diffOf(file);
  const calls = [...new Set(changes.map(({ tool_use_id: call }) => ordinals.get(call) ?? 0))];
  const name = path === null ? "Files that a command did not name" : withoutFolder(path, session.cwd);
  return (
    <details class="changed" open={files.length <= 20}>
      <summary>
        <span class="target" title={oneLine(path ?? "", 400)}>
          {oneLine(name, 300)}
        </span>
        <Lines diff={diff} />
      </summary>
      <div class="inside">
        {diff === "" ? null : <Diff text={diff} />}
        {changes.map(({ command }) =>
          command === null ? null : (
            <p class="note">
              Changed by a command; what it changed is not known: <code>{oneLine(command, 300)}</code>
            </p>
          ),
        )}
        <p class="note links">
          {calls.slice(0, MAX_CALLS).map((ordinal, at) => (
            <>
              <a href={place.root + sessionAddress(session.id, ordinal)}>
                {calls.length === 1 ? "the call" : `call ${at + 1}`}
              </a>{" "}
            </>
          ))}
          {path === null ? null : <a href={place.root + fileAddress(idOfPath(path))}>all sessions with this file</a>}
        </p>
      </div>
    </details>
  );
}

/** Returns all changes in order; empty if only shell commands wrote the file. */
function diffOf({ changes }: FileChanges): string {
  return changes.flatMap(({ diff }) => (diff === "" ? [] : diff)).join("\n");
}

function Lines({ diff }: { diff: string }): JSX.Element | null {
  const lines = diff.split("\n");
  const added = lines.filter((line) => line.startsWith("+")).length;
  const removed = lines.filter((line) => line.startsWith("-")).length;
  if (added + removed === 0) return null;
  return (
    <span class="lines">
      {added === 0 ? null : <span class="plus">+{count(added)}</span>}{" "}
      {removed === 0 ? null : <span class="minus">−{count(removed)}</span>}
    </span>
  );
}
