/** `transcripts snippets extract` */
import { given } from "../../given.ts";
import { counted } from "../../quantities.ts";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { extractSnippet, type ExtractSnippetOutput } from "../../snippets/extract-snippet.ts";
import { MAX_GIVEN_BYTES, type ExtractSnippetInput } from "../../snippets/snippet-input.ts";
import type { SnippetSetting } from "../../snippets/setting.ts";
import { detectSnippetType } from "../../snippets/snippet-type.ts";
import { SNIPPET_TYPES, type SnippetType } from "../../store/stored-model.ts";
import { type CommandContext, flag, type RunCommand, text, texts } from "../command.ts";
import type { SnippetsExtracted } from "../schemas/snippet-schemas.ts";
import { withSnippets } from "../snippets.ts";
import { TranscriptsError } from "../../transcripts-error.ts";

export const run: RunCommand = async (context, [argument = ""], options) => {
  const title = text(options, "title");
  if (title === undefined)
    throw new TranscriptsError("bad_arguments", "--title is missing.", 'Give a title: --title "Port taken in tests".');
  const content = await givenContent(context, text(options, "contentFile"));
  const input = {
    session_id: argument,
    title,
    ...given({ content, event_id: text(options, "event") }),
    ...range(text(options, "lines"), "lines"),
    ...range(text(options, "turns"), "turns"),
    tags: texts(options, "tag"),
  };
  const output = await withSnippets(context, (setting) => keep(setting, input, text(options, "type")));
  if (flag(options, "json")) await context.printObject({ version: 1, ...output } satisfies SnippetsExtracted);
  else await context.out(`${output.snippet_id}\n`);
  tell(context, output);
  return 0;
};

async function keep(
  setting: SnippetSetting,
  input: Omit<ExtractSnippetInput, "snippet_type">,
  type: string | undefined,
): Promise<ExtractSnippetOutput> {
  const given = SNIPPET_TYPES.find((each) => each === type) ?? likelyType(input.content);
  return extractSnippet(setting, { ...input, snippet_type: given });
}

function likelyType(content: string | undefined): SnippetType {
  const hint = content === undefined ? undefined : detectSnippetType(content);
  if (hint !== undefined) return hint.snippet_type;
  throw new TranscriptsError(
    "bad_arguments",
    content === undefined ? "--type is missing." : "--type is missing, and the content does not say.",
    `Give one of ${SNIPPET_TYPES.join(", ")}.`,
  );
}

function tell(context: CommandContext, output: ExtractSnippetOutput): void {
  const { similar = [], type_hint: hint, lines_skipped: skipped, entries_left_out: leftOut } = output;
  const what = `${output.snippet_type} of session ${output.session_id}: ${output.title}`;
  context.note(output.already_stored ? `already stored: ${what}` : `stored ${what}`);
  if (skipped !== undefined) context.note(`${counted(skipped, "damaged line")} skipped`);
  if (leftOut !== undefined) context.note(`${leftOut} entries did not fit; a shorter range keeps more of each`);
  if (hint !== undefined) context.note(`it looks like ${hint.snippet_type} (${hint.because.join(", ")})`);
  for (const each of similar) context.note(`near-duplicate (${each.likeness}): ${each.snippet_id} ${each.title}`);
}

function range(given: string | undefined, option: "lines" | "turns"): Partial<ExtractSnippetInput> {
  if (given === undefined) return {};
  const [, first, last] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(given) ?? [];
  if (first === undefined)
    throw new TranscriptsError(
      "bad_arguments",
      `--${option} ${JSON.stringify(given)} is not a range.`,
      "Give it as 12-40, or one number.",
    );
  const [start, end] = [Number(first), Number(last ?? first)];
  if (end < start)
    throw new TranscriptsError(
      "bad_arguments",
      `--${option} ${given} ends before it begins.`,
      `Give it as --${option} ${end}-${start}.`,
    );
  return option === "lines"
    ? { source_line_start: start, source_line_end: end }
    : { source_turn_start: start, source_turn_end: end };
}

async function givenContent(context: CommandContext, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  if (path !== "-") return readFile(resolve(context.cwd, path), "utf8");
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of context.stdin) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    // The input is already too long.
    if (bytes > MAX_GIVEN_BYTES) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
