/** A scenario: what the model does, what the user does, and what else must hold besides the comparison with the export. */
import type {
  TranscriptEntry,
  TranscriptHeader,
  TranscriptProblem,
} from "../../../src/transcript/format/entry-types.ts";
import type { OpencodeClient } from "./client.ts";
import type { EventFeed } from "./event-feed.ts";
import type { ExportedSession } from "./export.ts";
import type { ModelScript } from "./model-script.ts";
import type { ModelServer } from "./model.ts";
import type { HostDropped } from "./oracle.ts";
import type { Sandbox } from "./sandbox.ts";

export type Format = "markdown" | "jsonl";

export interface Scenario {
  /** Also the marker of its main script. */
  name: string;
  /** By marker. */
  scripts: Record<string, ModelScript>;
  /** It needs a server of its own: to restart it, or with these plugin options and this configuration. */
  own?: { options?: Record<string, unknown>; config?: Record<string, unknown> };
  /** Formats that it records. Default: both. */
  formats?: readonly Format[];
  /** Does what the user does; gives the root sessions that are to be compared. */
  drive(stage: Stage): Promise<readonly string[]>;
  /** What the transcript of the first session holds although the host dropped it. */
  dropped?: readonly HostDropped[];
  /** The export as the transcript should have it, where that differs on purpose. Gets and gives JSON. */
  adjust?(exported: string): string;
  /** Looks at all recorded sessions, roots in the order of `drive`, each followed by its children. */
  check?(recorded: readonly RecordedSession[], stage: Stage): void | Promise<void>;
}

/** Where a scenario is played. */
export interface Stage {
  readonly model: ModelServer;
  readonly sandbox: Sandbox;
  /** The client of the server that runs now. */
  readonly client: OpencodeClient;
  /** Its events. */
  readonly feed: EventFeed;
  /** The plugin under test as opencode.json names it. */
  plugin(options: Record<string, unknown>): readonly [string, Record<string, unknown>];
  /** Ends the server and starts another one on the same project. Only for a scenario with a server of its own. */
  restart(signal?: NodeJS.Signals): Promise<void>;
}

/** One transcript as its reader gives it, with continuations merged. */
export interface RecordedTranscript {
  path: string;
  /** The file as it is. */
  text: string;
  headers: TranscriptHeader[];
  entries: TranscriptEntry[];
  problems: TranscriptProblem[];
}

export interface RecordedSession {
  exported: ExportedSession;
  /** One for each format that is recorded. */
  transcripts: ReadonlyMap<Format, RecordedTranscript>;
}

/** A scenario of one session and one prompt, which is the scenario's marker. */
export async function promptOnce({ client }: Stage, marker: string): Promise<readonly string[]> {
  const session = await client.createSession();
  await client.prompt(session.id, `scenario:${marker} please`);
  return [session.id];
}

/** All entries of one type, from every transcript. */
export function entriesOf<T extends TranscriptEntry["type"]>(
  recorded: RecordedSession,
  type: T,
): Extract<TranscriptEntry, { type: T }>[] {
  const [transcript] = recorded.transcripts.values();
  const isOfType = (entry: TranscriptEntry): entry is Extract<TranscriptEntry, { type: T }> => entry.type === type;
  return (transcript?.entries ?? []).filter(isOfType);
}
