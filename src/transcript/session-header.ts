import type { TranscriptHeader } from "../format/entries.ts";
import { given, timeOf } from "./draft.ts";
import type { TranscriptFormat } from "./paths.ts";
import type { SessionPlaces } from "./session-place.ts";

export interface SessionHeaderOptions {
  places: SessionPlaces;
  /** The format that links between transcripts lead to. */
  format: TranscriptFormat;
  redactText: (text: string) => Promise<string>;
  /** Name and version of this program. */
  recorder: string;
}

/** The header of a session's transcript, from what is known of the session when the transcript is begun. */
export async function sessionHeader(sessionID: string, options: SessionHeaderOptions): Promise<TranscriptHeader> {
  const { places, format, redactText, recorder } = options;
  const { parentID } = await places.place(sessionID);
  const known = places.known(sessionID);
  const redacted = async (text: string | undefined): Promise<string | undefined> =>
    text === undefined ? undefined : redactText(text).catch(() => undefined);
  return {
    version: 1,
    sessionID,
    recorder,
    ...given({
      parentID: known?.parentID ?? parentID,
      parentPath: parentID === undefined ? undefined : await places.path(parentID, format),
      title: await redacted(known?.title),
      directory: await redacted(known?.directory),
      created: timeOf(known?.createdMs),
      host: known?.host,
    }),
  };
}
