/** Finds and reads what the plugin recorded of a session. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import type { TranscriptItem } from "../../../src/transcript/format/entry-types.ts";
import type { ExportedSession } from "./export.ts";
import type { Format, RecordedTranscript } from "./scenario.ts";
import { mergeContinuations, readJsonlTranscript, readMarkdownTranscript } from "../read-entries.ts";

const EXTENSION: Record<Format, string> = { markdown: ".md", jsonl: ".jsonl" };

/**
 * The one transcript of the session in this format. Throws if there is none, if it is not where it belongs, or if
 * the session is spread over two files.
 */
export async function readRecorded(
  folder: string,
  session: ExportedSession,
  format: Format,
): Promise<RecordedTranscript> {
  const { id, parentID } = session.info;
  const name = id + EXTENSION[format];
  const all = await readdir(folder, { recursive: true });
  const found = all.filter((path) => basename(path) === name);
  const wanted = parentID === undefined ? name : join(parentID, name);
  if (found.length !== 1 || found[0] !== wanted) {
    throw new Error(`the transcript must be ${wanted} alone, but there is: ${found.join(", ") || "none"}`);
  }
  const path = join(folder, wanted);
  const bytes = await readFile(path);
  const readOutput = async (file: string): Promise<string | undefined> => {
    const output = join(folder, file);
    if (relative(folder, output).startsWith("..")) throw new Error(`an output outside of the folder: ${file}`);
    return existsSync(output) ? readFile(output, "utf8") : undefined;
  };
  const items = format === "markdown" ? readMarkdownTranscript(bytes, { readOutput }) : readJsonlTranscript(bytes);
  return { path, text: bytes.toString("utf8"), ...(await collected(items)) };
}

async function collected(
  items: AsyncIterable<TranscriptItem>,
): Promise<Pick<RecordedTranscript, "headers" | "entries" | "problems">> {
  const all: TranscriptItem[] = [];
  for await (const item of items) all.push(item);
  return {
    headers: all.flatMap((item) => (item.kind === "header" ? [item.header] : [])),
    entries: mergeContinuations(all.flatMap((item) => (item.kind === "entry" ? [item.entry] : []))),
    problems: all.flatMap((item) => (item.kind === "problem" ? [item.problem] : [])),
  };
}
