/** `transcripts export` */
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { MAX_IMAGE_BYTES, pageSession, renderPage, type PageSession } from "../../html/index.ts";
import type { Redactor } from "../../redact/redactor.ts";
import { attachmentReader } from "../../sessions/attachment-reader.ts";
import { reasonOf } from "../../sessions/reasons.ts";
import { sessionFamily, type SessionNode } from "../../sessions/session-family.ts";
import type { SessionRef } from "../../sessions/session-ref.ts";
import { CliError, type CommandContext, type CommandOptions, type ExitCode } from "../command.ts";
import { text } from "../option-values.ts";
import { redactedResult, redactorFor } from "../redaction.ts";
import { noteDamage, parseSession, sessionNamed } from "../session-input.ts";
import { createWholeFile } from "../write-file.ts";

/** A page says what a transcript says, and is as private. */
const PAGE_MODE = 0o600;

export async function run(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  const [argument = ""] = args;
  const output = text(options, "output") ?? (context.isTerminal ? undefined : "-");
  if (output === undefined) throw new CliError("A page is not for a terminal.", "Name a file: `-o session.html`.");
  const ref = await sessionNamed(context, argument);
  const { root, unreadable } = await sessionFamily(ref, context);
  for (const { path, reason } of unreadable) context.note(`not read: ${path}: ${reason}`);
  const subagents = options["subagents"] !== false;
  const exporting = { subagents, redactor: redactorFor(options) };
  const page = await pageOf(context, subagents ? root : { ref: root.ref, children: [] }, exporting);
  context.signal.throwIfAborted();
  if (page.stats.total_messages === 0 && page.children.length === 0) return 1;
  await write(context, page, output, ref);
  return 0;
}

interface Exporting {
  subagents: boolean;
  /** Undefined: secrets stay as they are. */
  redactor: Redactor | undefined;
}

async function pageOf(
  context: CommandContext,
  { ref, children }: SessionNode,
  exporting: Exporting,
): Promise<PageSession> {
  const { subagents, redactor } = exporting;
  const result = await parseSession(context, ref, { subagents });
  noteDamage(context, ref, result);
  const below: PageSession[] = [];
  for (const child of children) {
    try {
      below.push(await pageOf(context, child, exporting));
    } catch (error) {
      context.note(`not read: ${child.ref.path ?? child.ref.id}: ${reasonOf(error)}`);
    }
  }
  const shown = await redactedResult(redactor, result);
  const readImage = imageReader(ref);
  return { ...pageSession(shown, below), ...(readImage ? { readImage } : {}) };
}

/** Finds pictures that a transcript of ours keeps beside itself. */
function imageReader(ref: SessionRef): PageSession["readImage"] {
  const read = attachmentReader(ref, MAX_IMAGE_BYTES);
  if (read === undefined) return undefined;
  return async ({ metadata: { path, media_type: mediaType } }) => {
    if (typeof path !== "string" || mediaType === undefined) return undefined;
    const bytes = await read(path);
    return bytes && { mediaType, bytes };
  };
}

async function write(context: CommandContext, page: PageSession, output: string, ref: SessionRef): Promise<void> {
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (output === "-") {
    await renderPage(page, (html) => context.out(html), { timeZone });
    return;
  }
  const path = resolve(context.cwd, output);
  if (ref.path !== null && (await isSameFile(path, ref.path))) {
    throw new CliError(`${output} is the session itself.`, "Name another file.");
  }
  const file = await createWholeFile(path, PAGE_MODE);
  try {
    await renderPage(page, (html) => file.write(html), { timeZone });
    await file.finish();
  } finally {
    await file.discard();
  }
  context.note(`wrote ${path}`);
}

async function isSameFile(path: string, other: string): Promise<boolean> {
  const [real, otherReal] = await Promise.all([path, other].map((each) => realpath(each).catch(() => undefined)));
  return real !== undefined && real === otherReal;
}
