/** `transcripts forget` */
import { counted } from "../../html/quantities.ts";
import { reasonOf } from "../../sessions/reasons.ts";
import { sessionMeant } from "../../sessions/resolve-session.ts";
import { SessionError } from "../../sessions/session-error.ts";
import { isStream, type SessionRef } from "../../sessions/session-ref.ts";
import { sessionRoots } from "../../sessions/session-roots.ts";
import { knownSessionId } from "../../snippets/session-lookup.ts";
import { SnippetError } from "../../snippets/snippet-error.ts";
import { openStore, storePlace } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { CliError, type CommandContext, type CommandOptions, type ExitCode } from "../command.ts";
import { confirmed } from "../confirm.ts";
import { indexedOf, type Indexed } from "../forget/indexed.ts";
import { type FilePlan, filesOf, SafePlaces } from "../forget/plan.ts";
import { removePlaces } from "../forget/remove.ts";
import { flag } from "../option-values.ts";
import { printObject } from "../output.ts";
import type { Forgotten } from "../schemas/snippets.ts";
import { neutralLine } from "../../neutral-text.ts";
import { sessionNamed } from "../session-input.ts";
import { forCommandLine } from "../with-snippets.ts";

interface Plan extends FilePlan {
  id: string;
  indexed: Indexed;
}

const TAKEN_IN_AGAIN = "its files stay, so the next `index` or `find` takes the session in again";

export async function run(
  context: CommandContext,
  args: readonly string[],
  options: CommandOptions,
): Promise<ExitCode> {
  if (args[0] === "-")
    throw new CliError("SESSION: standard input cannot be forgotten.", "Give an id, a path or latest.");
  // Without an index none is made.
  const store = storePlace(context).exists ? await openStore(context) : undefined;
  try {
    const keepFiles = flag(options, "keepFiles");
    const plan = await planOf(context, store, args[0] ?? "", keepFiles);
    await show(context, plan, options);
    if (keepFiles && plan.kept.length > 0) context.note(TAKEN_IN_AGAIN);
    if (plan.places.length === 0 && plan.indexed.sessions.length === 0) {
      context.note("there is nothing to remove");
      await report(context, plan, [], { removed: false }, options);
      return 1;
    }
    const isSure = flag(options, "yes");
    if (flag(options, "dryRun") || !(isSure || (await confirmed(context, `${summary(plan)} will be removed.`)))) {
      context.note("nothing was removed");
      await report(context, plan, [], { removed: false }, options);
      return flag(options, "dryRun") ? 0 : 1;
    }
    const failed = [
      ...(await removePlaces(plan.places, new SafePlaces(await sessionRoots(context)))),
      ...(await removeIndexed(store, plan)),
    ];
    for (const { path, reason } of failed) context.note(`not removed: ${path}: ${reason}`);
    context.note(failed.length === 0 ? `removed ${summary(plan)}` : `the rest of ${summary(plan)} was removed`);
    await report(context, plan, failed, { removed: true }, options);
    return failed.length === 0 ? 0 : 2;
  } finally {
    await store?.close();
  }
}

/** What there is of the session. One whose files are gone is known to the index alone. */
async function planOf(
  context: CommandContext,
  store: Store | undefined,
  text: string,
  keepFiles: boolean,
): Promise<Plan> {
  const ref = await refOf(context, store, text);
  if (typeof ref === "string") {
    const indexed = store === undefined ? NOTHING : await indexedOf(store, [], ref);
    return { id: ref, indexed, places: [], kept: [], refs: [] };
  }
  if (isStream(ref))
    throw new CliError(`${ref.path} is a pipe or a device, not a session.`, "Give an id or the path of a file.");
  const files = await filesOf(ref, context);
  const indexed = store === undefined ? NOTHING : await indexedOf(store, files.refs);
  const kept = keepFiles ? files.places.map(({ path }) => ({ path, reason: "--keep-files" })) : [];
  return { ...files, id: ref.id, indexed, places: keepFiles ? [] : files.places, kept: [...files.kept, ...kept] };
}

const NOTHING: Indexed = { sessions: [], events: 0, snippets: 0 };

async function refOf(context: CommandContext, store: Store | undefined, text: string): Promise<SessionRef | string> {
  try {
    const ref = await sessionMeant(text, context);
    // What cannot be read can be forgotten, if it lies where sessions are kept.
    return ref.source === "file" ? await sessionNamed(context, text) : ref;
  } catch (error) {
    if (!(error instanceof SessionError) || error.code !== "not_found" || store === undefined) throw error;
    try {
      return await knownSessionId({ store }, text);
    } catch (inner) {
      throw inner instanceof SnippetError ? (inner.code === "unknown_session" ? error : forCommandLine(inner)) : inner;
    }
  }
}

function summary({ places, indexed }: Plan): string {
  const files =
    places.length === 0 ? [] : [places.length === 1 ? "1 file or folder" : `${places.length} files and folders`];
  const rows =
    indexed.sessions.length === 0
      ? []
      : [
          `${counted(indexed.sessions.length, "session")} in the index with ${counted(indexed.events, "event")} and ${counted(indexed.snippets, "snippet")}`,
        ];
  return [...files, ...rows].join(", ");
}

async function show(context: CommandContext, plan: Plan, options: CommandOptions): Promise<void> {
  if (flag(options, "json")) return;
  const { colors } = context;
  const lines = [
    colors.bold(`Session ${neutralLine(plan.id)}`),
    ...plan.indexed.sessions.map(
      ({ session_id, state }) => `  index     ${neutralLine(session_id)}, ${counted(state.events, "event")}`,
    ),
    ...(plan.indexed.snippets === 0 ? [] : [`  index     ${counted(plan.indexed.snippets, "snippet")}`]),
    ...plan.places.map(
      ({ kind, path, bytes }) => `  ${kind.padEnd(8)}  ${neutralLine(path)} (${counted(bytes, "byte")})`,
    ),
    ...plan.kept.map(({ path, reason }) => colors.dim(`  stays     ${neutralLine(path)}: ${neutralLine(reason)}`)),
  ];
  await context.out(`${lines.join("\n")}\n`);
  // It must be seen before the question.
  await context.flush();
}

async function removeIndexed(store: Store | undefined, { indexed }: Plan): Promise<Forgotten["failed"]> {
  const failed: Forgotten["failed"] = [];
  for (const { session_id } of indexed.sessions) {
    try {
      await store?.deleteSession(session_id);
    } catch (error) {
      failed.push({ path: `${session_id} in the index`, reason: reasonOf(error) });
    }
  }
  return failed;
}

async function report(
  context: CommandContext,
  { id, indexed, places, kept }: Plan,
  failed: Forgotten["failed"],
  { removed }: { removed: boolean },
  options: CommandOptions,
): Promise<void> {
  if (!flag(options, "json")) return;
  await printObject(context, {
    version: 1,
    session_id: id,
    in_index: indexed.sessions.map(({ session_id }) => session_id),
    events: indexed.events,
    snippets: indexed.snippets,
    files: places,
    kept,
    failed,
    removed,
  } satisfies Forgotten);
}
