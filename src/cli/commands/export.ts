/** `transcripts export` */
import { realpath } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { createFolder } from "../../user-folders.ts";
import { MAX_IMAGE_BYTES } from "../../html/block-view.ts";
import type { PageSession } from "../../html/outline.ts";
import { renderPage } from "../../html/render-page.ts";
import { counted } from "../../quantities.ts";
import type { Redactor } from "../../redact/redactor.ts";
import { attachmentReader } from "../../sessions/session-kept-files.ts";
import { reasonOf } from "../../sessions/reasons.ts";
import { refsIn, sessionFamily, type SessionNode } from "../../sessions/session-family.ts";
import { FOREIGN, type SessionRef } from "../../sessions/session-ref.ts";
import { badArguments, type CommandContext, type CommandOptions, type RunCommand } from "../command.ts";
import { type ReadSession, transcriptsOf, writeJson, writeTranscript } from "../exported-session.ts";
import { redactorFor } from "../redaction.ts";
import { conversationOf, sessionNamed } from "../session-input.ts";
import { type Write, writeWhole } from "../write-file.ts";

/** Mode of new files, which are as private as a transcript. */
const FILE_MODE = 0o600;

const FORMATS = {
  html: { extension: ".html", name: "A page" },
  markdown: { extension: ".md", name: "A transcript" },
  json: { extension: ".json", name: "The JSON of a session" },
} as const;
type Format = keyof typeof FORMATS;
const NAMES = ["html", "markdown", "json"] as const satisfies Format[];

export const run: RunCommand = async (context, [argument = ""], options) => {
  const output = options.text("output") ?? (context.isTerminal ? undefined : "-");
  const format = formatAsked(options, output);
  if (output === undefined) {
    const { name, extension } = FORMATS[format];
    throw badArguments(`${name} is not printed on a terminal.`, `Name a file: \`-o session${extension}\`.`);
  }
  const ref = await sessionNamed(context, argument, options);
  const { root, unreadable } = await sessionFamily(ref, context);
  for (const { path, reason } of unreadable) context.note(`not read: ${path}: ${reason}`);
  const subagents = options.withSubagents;
  const exporting = { subagents, redactor: redactorFor(options) };
  const session = await readAll(context, subagents ? root : { ref: root.ref, children: [] }, exporting);
  context.signal.throwIfAborted();
  if (session.conversation.stats.total_messages === 0 && session.children.length === 0) return 1;
  const sources = refsIn(root).flatMap(({ path }) => path ?? []);
  if (format === "markdown") await writeTranscripts(context, session, { output, sources, alone: !subagents });
  else await writeFile(context, output, sources, (write) => writeAs(format, session, write));
  return 0;
};

/** Returns the format of the option, or else of the file's extension. */
function formatAsked(options: CommandOptions, output = ""): Format {
  const [asked, ...others] = NAMES.filter((name) => options.flag(name));
  if (asked !== undefined && others.length > 0) {
    const given = [asked, ...others].map((name) => `--${name}`).join(" and ");
    throw badArguments(`${given} exclude each other.`, "Give one of them.");
  }
  const extension = extname(output).toLowerCase();
  return asked ?? NAMES.find((name) => FORMATS[name].extension === extension) ?? "html";
}

interface Exporting {
  subagents: boolean;
  /** Undefined: secrets are not redacted. */
  redactor: Redactor | undefined;
}

async function readAll(
  context: CommandContext,
  { ref, children }: SessionNode,
  exporting: Exporting,
): Promise<ReadSession> {
  const { subagents, redactor } = exporting;
  const conversation = await conversationOf(context, ref, { redactor, subagents });
  const below: ReadSession[] = [];
  for (const child of children) {
    try {
      below.push(await readAll(context, child, exporting));
    } catch (error) {
      context.note(`not read: ${child.ref.path ?? child.ref.id}: ${reasonOf(error)}`);
    }
  }
  return { ref, conversation, children: below };
}

async function writeAs(format: "html" | "json", session: ReadSession, write: Write): Promise<void> {
  if (format === "json") return writeJson(session, write);
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return renderPage(pageOf(session), write, { timeZone });
}

function pageOf({ ref, conversation, children }: ReadSession): PageSession {
  const readImage = imageReader(ref);
  const host = ref.archived?.host ?? null;
  const origin = host === null ? (ref.isForeign ? { origin: FOREIGN } : {}) : { origin: `recorded on ${host}` };
  return { ...conversation, children: children.map(pageOf), ...origin, ...(readImage ? { readImage } : {}) };
}

/** Writes one file per session. Standard output can have only the session's own. */
async function writeTranscripts(
  context: CommandContext,
  session: ReadSession,
  { output, sources, alone }: { output: string; sources: readonly string[]; alone: boolean },
): Promise<void> {
  const isFile = output !== "-";
  const all = transcriptsOf(session, isFile ? basename(output) : `${session.conversation.id}.md`, alone);
  const wanted = isFile ? all : transcriptsOf(session, `${session.conversation.id}.md`, true);
  // The session's own comes first, so that nothing is written if it is refused.
  for (const [at, transcript] of wanted.entries()) {
    const path = isFile ? resolve(context.cwd, dirname(output), transcript.path) : output;
    if (isFile && at > 0) createFolder(dirname(path));
    await writeFile(context, path, sources, (write) => writeTranscript(transcript, write));
  }
  if (!isFile && all.length > 1)
    context.note(`left out: ${counted(all.length - 1, "subagent")}; with -o FILE each gets a file of its own`);
}

/** Finds images saved beside a transcript. */
function imageReader(ref: SessionRef): PageSession["readImage"] {
  const read = attachmentReader(ref, MAX_IMAGE_BYTES);
  if (read === undefined) return undefined;
  return async ({ metadata: { path, media_type: mediaType } }) => {
    if (typeof path !== "string" || mediaType === undefined) return undefined;
    const bytes = await read(path);
    return bytes && { mediaType, bytes };
  };
}

/** Writes a file completely or not at all, but none of `sources`; or standard output. */
async function writeFile(
  context: CommandContext,
  output: string,
  sources: readonly string[],
  content: (write: Write) => Promise<void>,
): Promise<void> {
  if (output === "-") return content((piece) => context.out(piece));
  const path = resolve(context.cwd, output);
  for (const source of sources) {
    if (await isSameFile(path, source)) throw badArguments(`${output} is the session itself.`, "Name another file.");
  }
  await writeWhole(path, content, FILE_MODE);
  context.note(`wrote ${path}`);
}

async function isSameFile(path: string, other: string): Promise<boolean> {
  const [real, otherReal] = await Promise.all([path, other].map((each) => realpath(each).catch(() => undefined)));
  return real !== undefined && real === otherReal;
}
