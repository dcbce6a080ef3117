/**
 * What the kill driver kills. A subject is a module with a default export of this shape; the driver loads it for
 * `inspect`, and each child process for `start`.
 */
export interface CrashSubject {
  /** Whether the records of a file stand in it in the order in which they were reported. */
  ordered: boolean;
  /**
   * Runs in the child: hands over records, at its own pace, until the process is killed. In a clean run it hands
   * over some records for every file, waits until all are on disk, and resolves.
   */
  start(run: CrashRun): Promise<void>;
  /** Runs in the driver: what stands in the files of the folder. */
  inspect(folder: string): Promise<CrashFile[]>;
}

export interface CrashRun {
  folder: string;
  /** No two runs in one folder have the same: put it into the records' ids. */
  generation: number;
  seed: number;
  clean: boolean;
  /** To be called when the run is about to hand over its first record: the time up to the kill begins. */
  begins: () => void;
  /** To be called right before a record is handed over. Ids are unique in the folder, and have no spaces. */
  accepted: (id: string, file: string) => void;
}

export interface CrashFile {
  /** As told to `accepted`. */
  file: string;
  path: string;
  /** Ids of the complete records, in the order of the file. */
  ids: string[];
  /** Bytes that stand behind the last complete record. */
  tailBytes: number;
  /** Torn tails that a later run has repaired. */
  repaired: number;
  /** Whatever must not be: damage, a record that stands twice, a second header. */
  problems: string[];
}
