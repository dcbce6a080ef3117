/** Adds the transcript's path to a summary, so that the agent can look up what the summary leaves out. */
import { resolve } from "node:path";
import type { Options } from "../config.ts";
import { shellQuoted } from "../calls/shell-syntax.ts";
import { formatsOf } from "../transcript/create-recorder.ts";
import { atMost } from "../transcript/timeouts.ts";
import { transcriptsFolder } from "../transcript/recording-folder.ts";
import { textOf, isFields, fieldOf } from "../parse/json-fields.ts";
import type { Shared } from "./shared.ts";

/** The host waits for this hook, so the hint is dropped after this time, in milliseconds. */
const HINT_MS = 500;

/** Adds one line to the prompt for the summary, if there is a transcript. Never rejects. */
export async function hintAtTranscript(
  shared: Shared,
  options: Pick<Options, "format" | "tools">,
  about: unknown,
  output: unknown,
): Promise<void> {
  try {
    const sessionID = textOf(about, "sessionID");
    const context = fieldOf(output, "context");
    if (sessionID === undefined || !isFields(output) || !Array.isArray(context)) return;
    const hint = await transcriptHint(shared, options, sessionID);
    if (hint !== undefined) context.push(hint);
  } catch (error) {
    shared.notices.failure(error);
  }
}

/** Returns the line for the prompt, if there is a transcript. */
export async function transcriptHint(
  shared: Shared,
  options: Pick<Options, "format" | "tools">,
  sessionID: string,
): Promise<string | undefined> {
  const path = await atMost(HINT_MS, transcriptOf(shared, options, sessionID));
  if (path === undefined) return undefined;
  const file = shellQuoted(path);
  const ways = [`grep -n -i -F -e WORD ${file}`];
  if (options.tools.includes("find_in_transcripts")) ways.push("the tool find_in_transcripts");
  return `Keep this line in the summary unchanged: The full transcript of this session is ${file}; what the summary leaves out can be looked up there with ${ways.join(" or ")}.`;
}

/** Absolute path of the session's file, if it exists. */
async function transcriptOf(
  { recorder, dataFolder, fs }: Shared,
  { format }: Pick<Options, "format">,
  sessionID: string,
): Promise<string | undefined> {
  const [first] = formatsOf(format);
  const path = resolve(transcriptsFolder(dataFolder), await recorder.path(sessionID, first));
  try {
    await fs.stat(path);
    return path;
  } catch {
    // Nothing was written yet, or the file cannot be read.
    return undefined;
  }
}
