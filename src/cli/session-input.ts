/** Sessions as the commands take them: named by the user, opened, parsed. */
import type { ParseResult } from "../parse/model.ts";
import type { ParseOptions } from "../parse/options.ts";
import { fileInput, type ScanInput } from "../scan/find-input.ts";
import { needsAgentProgress } from "../sessions/agent-progress.ts";
import { findSessions } from "../sessions/find-sessions.ts";
import type { FoundSessions } from "../sessions/find-sessions.ts";
import { openReadable } from "../sessions/open-session.ts";
import { outputReader } from "../sessions/output-reader.ts";
import { resolveSession } from "../sessions/resolve-session.ts";
import type { SessionNode } from "../sessions/session-family.ts";
import type { SessionRef } from "../sessions/session-ref.ts";
import { syncSessionFiles } from "../sessions/sync-session-files.ts";
import type { CommandContext, CommandOptions } from "./command.ts";
import { argumentFor } from "./session-argument.ts";
import { date, text } from "./option-values.ts";

export { argumentFor } from "./session-argument.ts";

/** The session that an argument means. Throws a `SessionError` if there is none, or if there are several. */
export function sessionNamed(context: CommandContext, argument: string): Promise<SessionRef> {
  return resolveSession(argument, context);
}

/** The sessions that `--since` and `--project` leave, in the order of what was said last in them. Places that could not be read are told. */
export async function sessionsAsked(
  context: CommandContext,
  options: CommandOptions,
  { since = date(options, "since"), subagents = false }: { since?: Date | undefined; subagents?: boolean } = {},
): Promise<FoundSessions> {
  const project = text(options, "project");
  const found = await findSessions(context, {
    all: subagents,
    files: syncSessionFiles,
    byEntryTime: true,
    ...(since === undefined ? {} : { since }),
    ...(project === undefined ? {} : { project }),
  });
  for (const { path, reason } of found.unreadable) context.note(`not read: ${path}: ${reason}`);
  return found;
}

/** The bytes of a session. A file can be read again and again, anything else once. */
export function inputOf(context: CommandContext, ref: SessionRef): ScanInput {
  if (ref.path !== null && ref.bytes !== null) return fileInput(ref.path);
  return openReadable(ref, { stdin: context.stdin });
}

/** What reading a session needs besides its bytes. */
export function readOptions(
  context: CommandContext,
  ref: SessionRef,
): Pick<ParseOptions, "readOutput" | "signal" | "maxInlineContentBytes"> {
  const readOutput = outputReader(ref);
  return {
    signal: context.signal,
    maxInlineContentBytes: Number.POSITIVE_INFINITY,
    ...(readOutput === undefined ? {} : { readOutput }),
  };
}

/**
 * The whole session, with texts of any length; unless `subagents` is false, with those that stand nowhere else (see
 * `needsAgentProgress`). Damage is told by `noteDamage`, not here. What shows no costs says so: the table of prices takes
 * longer to load than most sessions take to read.
 */
export async function parseSession(
  context: CommandContext,
  ref: SessionRef,
  { subagents = true, costs = true }: { subagents?: boolean; costs?: boolean } = {},
): Promise<ParseResult> {
  const { parseTranscript } = await import("../parse/parse-transcript.ts");
  const agentProgress = subagents && (await needsAgentProgress(ref));
  const input = openReadable(ref, { stdin: context.stdin });
  const pricing = costs ? "catalog" : "flat";
  return parseTranscript(ref.id, input, { ...readOptions(context, ref), agentProgress, pricing });
}

/** A session and all below it, parents before their children. */
export async function familyOf(context: CommandContext, ref: SessionRef): Promise<SessionRef[]> {
  const { sessionFamily } = await import("../sessions/session-family.ts");
  const { root, unreadable } = await sessionFamily(ref, context);
  for (const { path, reason } of unreadable) context.note(`not read: ${path}: ${reason}`);
  return flattened(root);
}

function flattened({ ref, children }: SessionNode): SessionRef[] {
  return [ref, ...children.flatMap(flattened)];
}

/** The session's own id: the one that its content names, where its place does not. */
export function idOf(ref: SessionRef, result?: Pick<ParseResult, "metadata">): string {
  return ref.source === "stdin" || ref.source === "file" ? (result?.metadata.sessionId ?? ref.id) : ref.id;
}

/** Reports lines that could not be used. */
export function noteDamage(context: CommandContext, ref: SessionRef, result: ParseResult): void {
  const name = ref.path ?? idOf(ref, result);
  const lost = result.errors.filter(({ recovered }) => !recovered).length;
  if (lost > 0) {
    const what = lost === 1 ? "1 damaged place" : `${lost} damaged places`;
    context.note(`${name}: ${what}; \`transcripts entries ${argumentFor(ref)} --outcome failed\` shows what is lost`);
  }
}
