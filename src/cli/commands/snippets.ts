/** `transcripts snippets`: extract, query, suggest and cleanup. */
import { readBetween } from "../../queries/figures.ts";
import { Option } from "@commander-js/extra-typings";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { given } from "../../given.ts";
import { neutralLine } from "../../neutral-text.ts";
import { quoted } from "../../render/text/text-style.ts";
import { counted, dayAndTime } from "../../quantities.ts";
import { storeSuggestions } from "../../snippets/auto-extract.ts";
import { extractSnippet, type ExtractSnippetOutput } from "../../snippets/extract-snippet.ts";
import { MAX_GIVEN_BYTES, type ExtractSnippetInput } from "../../snippets/snippet-input.ts";
import type { SnippetSetting } from "../../snippets/session-lookup.ts";
import { querySnippets, retentionStart, SnippetStore } from "../../snippets/snippet-store.ts";
import { detectSnippetType } from "../../snippets/snippet-type.ts";
import { suggestForSession, type SnippetSuggestion } from "../../snippets/suggest.ts";
import { storePlace, withStore } from "../../store/open-store.ts";
import type { Store } from "../../store/store.ts";
import { SNIPPET_TYPES, type SnippetType, type StoredSnippet } from "../../store/stored-model.ts";
import {
  commandGroup,
  createCommand,
  jsonLines,
  jsonObject,
  positiveInteger,
  runnable,
  SESSION,
  several,
  since,
  STORED_SESSION,
  team,
  until,
  wholeNumber,
} from "../command.ts";
import { badArguments, type CommandContext, confirmed, inputText } from "../context.ts";
import { refuseStdin, sessionNamed } from "../session-input.ts";

/** Number of lines of the content shown without --full. */
const PREVIEW_LINES = 6;
const MAX_LINE = 160;
const INDENT = "  ";

const MEANINGS =
  "error_reasoning: why something failed, and the fix. decision_rationale: why one option was chosen over the others. learning_pattern: a lesson for later work.";

const extractDefinition = createCommand("extract", {
  summary: "Stores part of a session as a snippet.",
  description:
    `The part is a range of lines or turns, or a text from a file. ${MEANINGS} A snippet has 100 bytes to 10 KB; longer ones are shortened, with a note. ` +
    "Passwords, keys and tokens become [REDACTED:kind]. The same content of the same session is stored once; near-duplicates are reported.",
  examples: {
    "transcripts snippets extract latest --turns 1 --type error_reasoning --title Port-taken --tag tests":
      "Stores the first turn of the newest session.",
    "transcripts snippets extract latest --lines 12-40 --type decision_rationale --title Why-SQLite":
      "Stores what is on lines 12 to 40.",
  },
})
  .argument("<SESSION>", STORED_SESSION)
  .option("--lines <range>", "Lines of the file, such as 12-40.")
  .option("--turns <range>", "Turns, such as 3 or 3-5, counted as in `transcripts show`.")
  .option(
    "--content-file <file>",
    "File with the content; - for standard input. --lines or --turns then say where it is from.",
  )
  .addOption(
    new Option("--type <type>", "Type of the snippet. Default: detected from the content, if that is clear.").choices(
      SNIPPET_TYPES,
    ),
  )
  .requiredOption("--title <text>", "Title of at most 256 characters.")
  .option("--tag <tag>", "Tag; may be given several times.", several)
  .addOption(jsonObject("the snippet's id and notes about it"));

const extract = runnable(extractDefinition, async (context, [argument], options) => {
  const content = await givenContent(context, options.contentFile);
  const [line, lastLine] = rangeOf(options.lines, "--lines");
  const [turn, lastTurn] = rangeOf(options.turns, "--turns");
  const input = {
    session_id: argument,
    title: options.title,
    ...given({ content }),
    ...given({ source_line_start: line, source_line_end: lastLine }),
    ...given({ source_turn_start: turn, source_turn_end: lastTurn }),
    tags: options.tag ?? [],
  } satisfies Omit<ExtractSnippetInput, "snippet_type">;
  const type = options.type;
  const output = await withStore(context, {}, (store) =>
    extractSnippet(settingIn(context, store), { ...input, snippet_type: type ?? likelyType(content) }),
  );
  if (options.json) await context.printObject({ version: 1, ...output });
  else await context.out(`${output.snippet_id}\n`);
  tellExtracted(context, output);
  return 0;
});

function settingIn(context: CommandContext, store: Store): SnippetSetting {
  return { store, where: context, signal: context.signal };
}

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
  if (hint !== undefined) context.note(`the content looks like ${hint.snippet_type} (${hint.because.join(", ")})`);
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
  return inputText(context.stdin, MAX_GIVEN_BYTES);
}

const queryDefinition = createCommand("query", {
  summary: "Finds snippets, newest first.",
  description: "A snippet must match all filters.",
  examples: {
    "transcripts snippets query migration": "Shows snippets about migration.",
    "transcripts snippets query --type decision_rationale --since 30d --full": "Shows recent decisions.",
  },
  nothing: "no snippet matches",
})
  .argument("[KEYWORD]", "Text in the title or content, exactly as typed; case does not matter.")
  .option("--session <session>", "Only snippets of this session.")
  .addOption(new Option("--type <type>", "Only snippets of this type.").choices(SNIPPET_TYPES))
  .option("--project <path>", "Only snippets of the project in this folder, or with this name.")
  .option(
    "--tag <tag>",
    "Only snippets with this tag. May be given several times, for snippets with all of them.",
    several,
  )
  .addOption(since("snippets created"))
  .addOption(until("snippets created"))
  .option("--limit <n>", "Maximum number of snippets (1-500).", positiveInteger, 50)
  .option("--offset <n>", "Skips the first n.", wholeNumber, 0)
  .option("--full", "Prints the full content.")
  .addOption(team)
  .addOption(jsonObject("the snippets and their total number"));

const query = runnable(queryDefinition, async (context, [keyword], options) => {
  const tags = options.tag ?? [];
  const dates = readBetween(options, context.now());
  const filters = given({
    keyword,
    session_id: options.session,
    snippet_type: options.type,
    project: options.project,
    start_date: dates.since?.toISOString(),
    end_date: dates.until?.toISOString(),
    limit: options.limit,
    offset: options.offset,
    tags: tags.length === 0 ? undefined : tags,
  });
  const { exists } = storePlace(context);
  const output = await withStore(context, { readOnly: exists }, (store) =>
    querySnippets(settingIn(context, store), filters),
  );
  const { snippets, total_count, has_more } = output;
  if (options.json) await context.printObject({ version: 1, ...output });
  else for (const snippet of snippets) await context.out(storedText(context, snippet, options.full ?? false));
  const more = has_more ? `; --offset ${(options.offset ?? 0) + snippets.length} shows more` : "";
  context.note(
    total_count === 0
      ? "no snippet matches; `transcripts snippets extract` and `suggest --store` store some"
      : `${snippets.length} of ${counted(total_count, "snippet")}${more}`,
  );
  return snippets.length > 0 ? 0 : 1;
});

const suggestDefinition = createCommand("suggest", {
  summary: "Suggests snippets of a session: errors that were fixed, with what was tried and what fixed them.",
  examples: {
    "transcripts snippets suggest latest": "Shows what is worth keeping in the newest session.",
    "transcripts snippets suggest latest --store": "Stores the suggestions.",
  },
  nothing: "nothing is worth suggesting",
})
  .argument("<SESSION>", SESSION)
  .option("--store", "Stores them, each only once.")
  .option("--limit <n>", "Maximum number of suggestions, best first.", positiveInteger, 8)
  .option("--full", "Prints the full content.")
  .addOption(jsonLines("each suggestion"));

const suggest = runnable(suggestDefinition, async (context, [argument], options) => {
  if (options.store) refuseStdin(argument);
  const { signal, stdin } = context;
  const ref = await sessionNamed(context, argument);
  const suggestions = await suggestForSession(ref, { limit: options.limit ?? 8, signal, stdin });
  for (const suggestion of suggestions) {
    if (options.json) await context.printLine({ version: 1, ...suggestion });
    else await context.out(suggestionText(context, suggestion, options.full ?? false));
  }
  if (!options.store) {
    if (suggestions.length === 0)
      context.note("nothing to suggest: the session has no error that is known to be fixed");
    else if (!options.json) context.note("add --store to store them");
    return suggestions.length > 0 ? 0 : 1;
  }
  const { stored, known } = await withStore(context, {}, (store) => storeSuggestions(store, context, ref, suggestions));
  context.note(`stored ${stored}${known > 0 ? `, ${known} already stored` : ""}`);
  return suggestions.length > 0 ? 0 : 1;
});

const cleanupDefinition = createCommand("cleanup", {
  summary: "Deletes old snippets, after asking.",
  examples: {
    "transcripts snippets cleanup --older-than 180": "Says how many there are, and asks.",
    "transcripts snippets cleanup --older-than 180 --yes": "Deletes them without asking, for scripts.",
  },
  nothing: "no snippet is that old, or the answer was no",
})
  .requiredOption("--older-than <days>", "Snippets created more than this many days ago.", positiveInteger)
  .option("--yes", "Deletes without asking.")
  .addOption(jsonObject("how many were deleted"));

const cleanup = runnable(cleanupDefinition, async (context, _args, options) => {
  const days = options.olderThan;
  return withStore(context, {}, async (store) => {
    const setting = settingIn(context, store);
    const end = new Date(retentionStart(days, context.now()).getTime() - 1);
    const { total_count: old } = await setting.store.querySnippets({ end, limit: 1, offset: 0 });
    const what = `${counted(old, "snippet")} made more than ${counted(days, "day")} ago`;
    const isSure = old === 0 || options.yes;
    if (!isSure && !(await confirmed(context, `${what} will be deleted.`))) {
      context.note("nothing was deleted");
      return 1;
    }
    const { deleted } = await new SnippetStore(setting).cleanupOldSnippets(days, context.now());
    context.note(`deleted ${deleted}`);
    if (options.json) await context.printObject({ version: 1, old, deleted });
    return old > 0 ? 0 : 1;
  });
});

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
  const maxLines = full ? Infinity : PREVIEW_LINES;
  const shown = quoted(content, { colors, indent: INDENT, maxLines, maxLineChars: full ? Infinity : MAX_LINE });
  return `${head}\n${colors.dim(about)}\n${shown}\n\n`;
}

export const command = commandGroup(
  "snippets",
  {
    "transcripts snippets suggest latest --store": "Stores the errors of the newest session that were fixed.",
    "transcripts snippets query migration": "Shows snippets about migration.",
  },
  [extract, query, suggest, cleanup],
);
