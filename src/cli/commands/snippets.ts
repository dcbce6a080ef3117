/** `transcripts snippets`: extract, query, count, suggest and cleanup. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { given } from "../../given.ts";
import { neutralBlock, neutralLine, shortened } from "../../neutral-text.ts";
import { counted, dayAndTime } from "../../quantities.ts";
import { storeSuggestions } from "../../snippets/auto-extract.ts";
import { extractSnippet, type ExtractSnippetOutput } from "../../snippets/extract-snippet.ts";
import { MAX_GIVEN_BYTES, type ExtractSnippetInput } from "../../snippets/snippet-input.ts";
import { querySnippets, retentionStart, SnippetStore } from "../../snippets/snippet-store.ts";
import { detectSnippetType } from "../../snippets/snippet-type.ts";
import { suggestForSession, type SnippetSuggestion } from "../../snippets/suggest.ts";
import { SNIPPET_TYPES, type SnippetType, type StoredSnippet } from "../../store/stored-model.ts";
import { badArguments, type CommandContext, type RunCommand } from "../command.ts";
import { textOf } from "../io.ts";
import type { Output } from "../output-schemas.ts";
import { sessionNamed } from "../session-input.ts";
import { readingSnippets, withSnippets } from "../snippet-errors.ts";

/** Number of lines of the content shown without --full. */
const PREVIEW_LINES = 6;
const MAX_LINE = 160;
const INDENT = "  ";

export const extract: RunCommand = async (context, [argument = ""], options) => {
  const title = options.text("title");
  if (title === undefined) throw badArguments("--title is missing.", 'Give a title: --title "Port taken in tests".');
  const content = await givenContent(context, options.text("contentFile"));
  const [line, lastLine] = rangeOf(options.text("lines"), "--lines");
  const [turn, lastTurn] = rangeOf(options.text("turns"), "--turns");
  const input = {
    session_id: argument,
    title,
    ...given({ content, event_id: options.text("event") }),
    ...given({ source_line_start: line, source_line_end: lastLine }),
    ...given({ source_turn_start: turn, source_turn_end: lastTurn }),
    tags: options.texts("tag"),
  } satisfies Omit<ExtractSnippetInput, "snippet_type">;
  const type = options.choice("type", SNIPPET_TYPES);
  const output = await withSnippets(context, async (setting) =>
    extractSnippet(setting, { ...input, snippet_type: type ?? likelyType(content) }),
  );
  if (options.flag("json")) await context.printObject({ version: 1, ...output } satisfies Output<"snippets extract">);
  else await context.out(`${output.snippet_id}\n`);
  tellExtracted(context, output);
  return 0;
};

function likelyType(content: string | undefined): SnippetType {
  const hint = content === undefined ? undefined : detectSnippetType(content);
  if (hint !== undefined) return hint.snippet_type;
  throw badArguments(
    content === undefined ? "--type is missing." : "--type is missing, and the content does not say.",
    `Give one of ${SNIPPET_TYPES.join(", ")}.`,
  );
}

function tellExtracted(context: CommandContext, output: ExtractSnippetOutput): void {
  const { similar = [], type_hint: hint, lines_skipped: skipped, entries_left_out: leftOut } = output;
  const what = `${output.snippet_type} of session ${output.session_id}: ${output.title}`;
  context.note(output.already_stored ? `already stored: ${what}` : `stored ${what}`);
  if (skipped !== undefined) context.note(`${counted(skipped, "damaged line")} skipped`);
  if (leftOut !== undefined) context.note(`${leftOut} entries did not fit; a shorter range keeps more of each`);
  if (hint !== undefined) context.note(`it looks like ${hint.snippet_type} (${hint.because.join(", ")})`);
  for (const each of similar) context.note(`near-duplicate (${each.likeness}): ${each.snippet_id} ${each.title}`);
}

/** Reads `12-40`, or one number. */
function rangeOf(range: string | undefined, option: string): [first?: number, last?: number] {
  if (range === undefined) return [];
  const [, first, last] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range) ?? [];
  if (first === undefined)
    throw badArguments(`${option} ${JSON.stringify(range)} is not a range.`, "Give it as 12-40, or one number.");
  const [start, end] = [Number(first), Number(last ?? first)];
  if (end < start)
    throw badArguments(`${option} ${range} ends before it begins.`, `Give it as ${option} ${end}-${start}.`);
  return [start, end];
}

async function givenContent(context: CommandContext, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  if (path !== "-") return readFile(resolve(context.cwd, path), "utf8");
  // Longer input is too long anyway.
  return textOf(context.stdin, MAX_GIVEN_BYTES);
}

export const query: RunCommand = async (context, [keyword], options) => {
  const tags = options.texts("tag");
  const filters = given({
    keyword,
    session_id: options.text("session"),
    snippet_type: options.choice("type", SNIPPET_TYPES),
    project: options.text("project"),
    start_date: options.date("since")?.toISOString(),
    end_date: options.date("until")?.toISOString(),
    limit: options.integer("limit"),
    offset: options.integer("offset"),
    tags: tags.length === 0 ? undefined : tags,
  });
  const none = { success: true as const, snippets: [], total_count: 0, has_more: false };
  const output = await readingSnippets(context, none, (setting) => querySnippets(setting, filters));
  const { snippets, total_count, has_more } = output;
  if (options.flag("json")) await context.printObject({ version: 1, ...output } satisfies Output<"snippets query">);
  else for (const snippet of snippets) await context.out(storedText(context, snippet, options.flag("full")));
  const more = has_more ? `; --offset ${(options.integer("offset") ?? 0) + snippets.length} shows more` : "";
  context.note(`${snippets.length} of ${counted(total_count, "snippet")}${more}`);
  return snippets.length > 0 ? 0 : 1;
};

export const count: RunCommand = async (context, [session], options) => {
  const none = { error_reasoning: 0, decision_rationale: 0, learning_pattern: 0 };
  const counts = await readingSnippets(context, none, (setting) => new SnippetStore(setting).countByType(session));
  const total = Object.values(counts).reduce((sum, each) => sum + each, 0);
  if (options.flag("json"))
    await context.printObject({ version: 1, ...counts, total } satisfies Output<"snippets count">);
  else for (const [type, each] of Object.entries(counts)) await context.out(`${String(each).padStart(6)}  ${type}\n`);
  return total > 0 ? 0 : 1;
};

export const suggest: RunCommand = async (context, [argument = ""], options) => {
  const { signal, stdin } = context;
  const ref = await sessionNamed(context, argument, options);
  const suggestions = await suggestForSession(ref, { limit: options.integer("limit") ?? 8, signal, stdin });
  for (const suggestion of suggestions) {
    if (options.flag("json"))
      await context.printLine({ version: 1, ...suggestion } satisfies Output<"snippets suggest">);
    else await context.out(suggestionText(context, suggestion, options.flag("full")));
  }
  if (!options.flag("store")) {
    if (suggestions.length === 0) context.note("nothing to suggest");
    else if (!options.flag("json")) context.note("--store stores them");
    return suggestions.length > 0 ? 0 : 1;
  }
  const { stored, known, failed } = await withSnippets(context, (setting) =>
    storeSuggestions(setting, ref, suggestions),
  );
  for (const { title, reason } of failed) context.note(`not stored: ${title}: ${reason}`);
  context.note(`stored ${stored.length}${known > 0 ? `, ${known} already stored` : ""}`);
  return failed.length > 0 ? 2 : suggestions.length > 0 ? 0 : 1;
};

export const cleanup: RunCommand = async (context, _args, options) => {
  const days = options.integer("olderThan");
  if (days === undefined)
    throw badArguments("--older-than is missing.", "Give the number of days to keep: --older-than 180.");
  const isDry = options.flag("dryRun");
  return withSnippets(context, async (setting) => {
    const end = new Date(retentionStart(days, context.now()).getTime() - 1);
    const { total_count: old } = await setting.store.querySnippets({ end, limit: 1, offset: 0 });
    const what = `${counted(old, "snippet")} made more than ${counted(days, "day")} ago`;
    const isSure = old === 0 || isDry || options.flag("yes");
    if (!isSure && !(await context.confirmed(`${what} will be deleted.`))) {
      context.note("nothing was deleted");
      return 1;
    }
    const store = new SnippetStore(setting);
    const { deleted } = isDry ? { deleted: 0 } : await store.cleanupOldSnippets(days, context.now());
    context.note(isDry ? `${what} would be deleted` : `deleted ${deleted}`);
    if (options.flag("json"))
      await context.printObject({ version: 1, old, deleted, dry_run: isDry } satisfies Output<"snippets cleanup">);
    return old > 0 ? 0 : 1;
  });
};

/** Formats a snippet as several lines and an empty one. */
function storedText(context: CommandContext, snippet: StoredSnippet, full: boolean): string {
  const { snippet_type, title, created_at, session_id, snippet_id, tags } = snippet;
  const { source_line_start: start, source_line_end: end } = snippet;
  const place = start === null ? session_id : `${session_id}:${start}-${end ?? start}`;
  const about = [dayAndTime(created_at), place, ...tags.map((tag) => `#${tag}`), snippet_id]
    .map((word) => neutralLine(word))
    .join("  ");
  return entry(context, { type: snippet_type, title, about, content: snippet.content }, full);
}

function suggestionText(context: CommandContext, suggestion: SnippetSuggestion, full: boolean): string {
  const { snippet_type, title, line_start, line_end, from } = suggestion;
  const lines = line_start === line_end ? `line ${line_start}` : `lines ${line_start}-${line_end}`;
  const about = [...(from === null ? [] : [dayAndTime(from)]), lines].join("  ");
  return entry(context, { type: snippet_type, title, about, content: suggestion.content }, full);
}

function entry(
  { colors }: CommandContext,
  { type, title, about, content }: { type: string; title: string; about: string; content: string },
  full: boolean,
): string {
  const head = `${colors.yellow(type)}  ${colors.bold(neutralLine(title))}`;
  const shown = neutralBlock(full ? content : preview(content)).replaceAll(/^/gm, INDENT);
  return `${head}\n${colors.dim(about)}\n${shown}\n\n`;
}

/** Returns the first lines after the heading. */
function preview(content: string): string {
  const lines = content.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(0, PREVIEW_LINES).map((line) => shortened(line, MAX_LINE));
  const hidden = lines.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`… ${counted(hidden, "more line")}; --full shows them`] : [])].join("\n");
}
