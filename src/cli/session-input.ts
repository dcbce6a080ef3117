/** Resolves and reads sessions for commands. */
import type { ParseError, SessionMetadata } from "../parse/model.ts";
import type { Conversation, ReadQuery } from "../queries/read-session.ts";
import { type ArchivedSession, sessionIdOf, type SessionRef, type Unreadable } from "../places/session-ref.ts";
import { badArguments, type CommandContext } from "./context.ts";
import { argumentFor } from "./session-names.ts";
import { counted } from "../quantities.ts";
import { isReadFault } from "../places/reasons.ts";
import { storeText } from "../render/text/session-text.ts";
import { TranscriptsError } from "../transcripts-error.ts";

/**
 * Resolves a SESSION argument. Throws a `TranscriptsError` if no session matches, or more than one, and for one that only
 * the store has if it is wanted unredacted. Reports which session comes from the store.
 */
export async function sessionNamed(
  context: CommandContext,
  argument: string,
  { redact = true }: { redact?: boolean } = {},
): Promise<SessionRef> {
  const { resolveSession } = await import("../sessions/resolve-session.ts");
  const ref = await resolveSession(argument, context);
  if (!redact) refuseArchived(ref);
  if (ref.archived !== null) context.note(`${ref.id}: ${archivedNote(ref, ref.archived)}`);
  return ref;
}

/**
 * Resolves several SESSION arguments. Reports one that cannot be resolved and continues with the others, as `grep` does;
 * throws if it is the only one. `missing`: number of arguments that were not resolved.
 */
export async function sessionsNamed(
  context: CommandContext,
  args: readonly string[],
  options: { redact?: boolean } = {},
): Promise<{ refs: SessionRef[]; missing: number }> {
  const refs: SessionRef[] = [];
  for (const argument of args) {
    try {
      refs.push(await sessionNamed(context, argument, options));
    } catch (error) {
      if (args.length === 1 || !isReadFault(error)) throw error;
      context.note(`transcripts: ${error.message}`);
    }
  }
  return { refs, missing: args.length - refs.length };
}

/** Throws a `TranscriptsError` for standard input, which is not in the store. */
export function refuseStdin(argument: string): void {
  if (argument === "-")
    throw badArguments(
      "A session from standard input is not in the store.",
      "Give an id, the path of a file or latest.",
    );
}

/** Throws a `TranscriptsError` for a session that cannot be read unredacted. */
export function refuseArchived({ id, archived }: SessionRef): void {
  if (archived === null) return;
  throw new TranscriptsError(
    "unreadable",
    `Session ${id} is only in the store, where it is redacted.`,
    "Leave --no-redact out.",
  );
}

/** Says where an archived session comes from, and what it lacks. */
function archivedNote({ path, database }: SessionRef, archived: ArchivedSession): string {
  const { damaged } = archived;
  const lost = damaged === 0 ? "" : `; without its ${counted(damaged, "damaged place")}`;
  return `${storeText(archived, path ?? database ?? undefined)}${lost}`;
}

/** Returns the note for an empty machine or an empty team database. */
export function noSessionsNote({ team }: Pick<CommandContext, "team">): string {
  return team
    ? "the team's database has no sessions; `transcripts push` copies this machine's"
    : "no sessions found; `transcripts doctor` shows which folders are searched";
}

/** Reads a session for a command, and reports damage. */
export async function conversationOf(
  context: CommandContext,
  ref: SessionRef,
  query: Omit<ReadQuery, "signal" | "stdin">,
): Promise<Conversation> {
  const { signal, stdin } = context;
  if (query.redactor === undefined) refuseArchived(ref);
  const { readConversation } = await import("../queries/read-session.ts");
  const conversation = await readConversation(ref, { ...query, signal, stdin });
  noteDamage(context, ref, conversation);
  return conversation;
}

/** Returns a session and all below it, parents before children. */
export async function familyRefs(context: CommandContext, ref: SessionRef): Promise<SessionRef[]> {
  const { refsIn, sessionFamily } = await import("../sessions/session-family.ts");
  const { root, unreadable } = await sessionFamily(ref, context);
  noteUnread(context, unreadable);
  return refsIn(root);
}

/** Reports files and sessions that were not read. Some reasons begin with the path. */
export function noteUnread(context: CommandContext, unreadable: readonly Unreadable[]): void {
  for (const { path, reason } of unreadable) {
    context.note(`not read: ${reason.startsWith(`${path} `) ? reason : `${path}: ${reason}`}`);
  }
}

/** Reports unusable lines. */
export function noteDamage(
  context: CommandContext,
  ref: SessionRef,
  { errors, metadata }: { errors: readonly ParseError[]; metadata: SessionMetadata },
): void {
  const name = ref.path ?? sessionIdOf(ref, metadata);
  const lost = errors.filter(({ recovered }) => !recovered).length;
  if (lost > 0) {
    const what = counted(lost, "damaged place");
    const command = `transcripts entries ${argumentFor(ref)} | grep '"recovered":false'`;
    context.note(`${name}: ${what}; \`${command}\` shows what is lost`);
  }
}
