/** What a summary should say, so that the agent can look up what it leaves out. */
import { isAbsolute, join, resolve } from "node:path";
import type { Options } from "../../config.ts";
import { shellQuoted } from "../../tools/save-conversation/recall.ts";
import { formatsOf, transcriptsFolder } from "../../transcript/create-recorder.ts";
import { id, isFields, read } from "./fields.ts";
import type { Shared } from "./shared.ts";

/** The host waits for this hook: what takes longer is left out. */
const HINT_MS = 500;

/** Adds one line to the prompt that asks for the summary. Never rejects, and adds nothing if there is no transcript. */
export async function hintAtTranscript(
  shared: Shared,
  options: Pick<Options, "format" | "tools">,
  about: unknown,
  output: unknown,
): Promise<void> {
  try {
    const sessionID = id(about, "sessionID");
    const context = read(output, "context");
    if (sessionID === undefined || !isFields(output) || !Array.isArray(context)) return;
    const path = await inTime(transcriptOf(shared, options, sessionID));
    if (path !== undefined) context.push(hintLine(path, options));
  } catch (error) {
    shared.notices.failure(error);
  }
}

/** The session's file, if something was recorded in it. */
async function transcriptOf(
  { recorder, dataFolder, fs }: Shared,
  { format }: Pick<Options, "format">,
  sessionID: string,
): Promise<string | undefined> {
  const [first = "markdown"] = formatsOf(format);
  const path = join(transcriptsFolder(dataFolder), await recorder.path(sessionID, first));
  const absolute = isAbsolute(path) ? path : resolve(path);
  try {
    await fs.stat(absolute);
    return absolute;
  } catch {
    // Nothing was written yet, or it cannot be read: a line that leads nowhere would do harm.
    return undefined;
  }
}

function hintLine(path: string, { tools }: Pick<Options, "tools">): string {
  const file = shellQuoted(path);
  const ways = [`grep -n -i -F -e WORD ${file}`];
  if (tools.includes("find_in_transcripts")) ways.push("the tool find_in_transcripts");
  return `Keep this line in the summary as it stands: The full transcript of this session is ${file}; what the summary leaves out can be looked up there with ${ways.join(" or ")}.`;
}

function inTime<T>(promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((done) => {
    timer = setTimeout(() => done(undefined), HINT_MS);
    timer.unref();
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
