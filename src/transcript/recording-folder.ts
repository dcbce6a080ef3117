import { join } from "node:path";
import { layTemplates } from "../templates/lay-templates.ts";
import { refuseLinkOut, WRITTEN_FOLDERS } from "./files/data-folder.ts";
import type { FileSystem } from "./files/file-system.ts";

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
}

/** Data folder of a project. */
export class RecordingFolder {
  readonly transcripts: string;
  readonly #options: RecordingFolderOptions;
  #preparing: Promise<void> | undefined;

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

  /** Resolves once no template is being restored. Never rejects. */
  async prepared(): Promise<void> {
    await this.#preparing;
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
    await layTemplates(dataFolder, { fs });
  }
}
