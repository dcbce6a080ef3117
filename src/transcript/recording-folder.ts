import { join } from "node:path";
import { layTemplates } from "../templates/lay-templates.ts";
import { refuseLinkOut, unignoredTranscripts, WRITTEN_FOLDERS } from "./files/data-folder.ts";
import { createIn, type FileSystem } from "./files/file-system.ts";
import { recordedLine, recordedSince } from "./transcript-paths.ts";

/** Returns the transcripts folder in a data folder. */
export function transcriptsFolder(dataFolder: string): string {
  return join(dataFolder, "transcripts");
}

export interface RecordingFolderOptions {
  fs: FileSystem;
  /** Folder for all data, such as `/project/.openfleet`. */
  dataFolder: string;
  /** Project folder; symbolic links that lead out of it are refused. Default: links are followed. */
  project?: string | undefined;
  /** File that lists the sessions recorded on this machine (see `recordedListPath`). Default: none. */
  recordedList?: string | undefined;
  /** Called with messages for the user; the same one may come again. */
  onWarning?: ((message: string) => void) | undefined;
}

/** Data folder of a project, and the list of sessions recorded on this machine. */
export class RecordingFolder {
  readonly transcripts: string;
  readonly #options: RecordingFolderOptions;
  readonly #listed = new Set<string>();
  #preparing: Promise<void> | undefined;
  #isLaid = false;

  constructor(options: RecordingFolderOptions) {
    this.#options = options;
    this.transcripts = transcriptsFolder(options.dataFolder);
  }

  /** Rejects if nothing may be written to the data folder, or to one of these paths in it. */
  async check(paths: readonly string[] = []): Promise<void> {
    const { project, dataFolder } = this.#options;
    if (project !== undefined) await refuseLinkOut(project, dataFolder, [...WRITTEN_FOLDERS, ...paths]);
  }

  /**
   * Restores the templates, before a session's files are created or created again. Never rejects: disk faults are reported
   * by the writers. Sessions that open at the same time share one check, to save disk operations.
   */
  prepare(): Promise<void> {
    this.#preparing ??= this.#prepare()
      .catch(() => undefined)
      .finally(() => (this.#preparing = undefined));
    return this.#preparing;
  }

  /**
   * Restores the templates of an existing folder; a person or `git clean` may have removed them while nothing was
   * recorded. Never rejects.
   */
  async restore(): Promise<void> {
    const facts = await this.#options.fs.stat(this.transcripts).catch(() => undefined);
    if (facts !== undefined) await this.prepare();
  }

  async #prepare(): Promise<void> {
    const { fs, dataFolder } = this.#options;
    await this.check();
    await layTemplates(dataFolder, { fs, onlyMissing: this.#isLaid });
    this.#isLaid = true;
  }

  /** Warns the user if git sees the transcripts. */
  async warn(): Promise<void> {
    const warning = await unignoredTranscripts(this.transcripts);
    if (warning !== undefined) this.#options.onWarning?.(warning);
  }

  /**
   * Adds a session to the list, once per process, with one small write. Readers detect planted transcripts with it. Never
   * rejects: on a fault the line is missing, and the session may be shown as not recorded on this machine.
   */
  async list(sessionID: string): Promise<void> {
    const { recordedList: path, fs } = this.#options;
    if (path === undefined || this.#listed.has(sessionID)) return;
    this.#listed.add(sessionID);
    try {
      await createIn(fs, path, () => this.#append(path, sessionID));
    } catch {
      // Retried when the session is opened again.
      this.#listed.delete(sessionID);
    }
  }

  async #append(path: string, sessionID: string): Promise<void> {
    const file = await this.#options.fs.openAppend(path);
    try {
      const head = (await file.stat()).size === 0 ? recordedSince(Date.now()) : "";
      // One write, so that lines of several processes do not mix.
      await file.write(Buffer.from(head + recordedLine(sessionID)));
    } finally {
      await file.close();
    }
  }
}
