/** An agent whose newest version is run against a scripted model, to notice when its format drifts. */
import type { Truth, Unwritten } from "../truth.ts";

export interface Scenario {
  name: string;
  /** Folder in whose places the agent wrote its sessions. */
  home: string;
  truth: Truth;
  unwritten?: Unwritten;
}

export interface NewestAgent {
  /** Its name in the registry. */
  agent: string;
  /** Its package at npm. */
  package: string;
  /** Name of the package's program. */
  program: string;
  /** Runs every scenario with the program, each in a folder of its own below `folder`. */
  scenarios(program: string, folder: string): AsyncIterable<Scenario>;
}
