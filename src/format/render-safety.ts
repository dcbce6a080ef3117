/**
 * Whether text may stand raw as markdown between our sections: nothing in it stays open behind its end (a code fence,
 * an HTML block or tag), so that every section heading after it is still a heading when rendered.
 *
 * The answer is conservative. What is not surely closed is refused, and the encoder puts such text into a fence.
 * Lists, quotes, tables and half-open emphasis are harmless: the blank line and column 0 of what follows end them.
 */
const FENCE_LINE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})([^]*)$/;
/** Markdown's own notion of blank: other white space is text. */
const BLANK = /^[ \t]*$/;
/** Something like a fence behind a list marker, a quote mark, a tab or four spaces: a fence or not, by its context. */
const NESTED_FENCE = /^[\s>*+\-\d.)]*(?:`{3,}|~{3,})/;
const HTML = /<(?:[A-Za-z][A-Za-z0-9-]*(?=[\s/>]|$)|\/[A-Za-z]|[!?])/;

/** True if the rendering of what follows `text`, after a blank line, cannot depend on `text`. Linear in its length. */
export function isSafeMarkdown(text: string): boolean {
  if (!text.includes("<") && !text.includes("```") && !text.includes("~~~")) return true;
  const lines = text.split(/\r?\n/);
  const prose = outsideFences(lines);
  return prose !== undefined && !hasHtml(prose);
}

/**
 * The lines that are not inside a fence, or undefined if a fence may be left open. All lines count as prose if the
 * text has fences within lists or quotes: where those end depends on more than this looks at.
 */
function outsideFences(lines: string[]): string[] | undefined {
  const prose: string[] = [];
  let open: { indent: number; run: string } | undefined;
  let nested = false;
  for (const line of lines) {
    const fence = FENCE_LINE.exec(line);
    if (open === undefined) {
      if (fence !== null) open = { indent: (fence[1] ?? "").length, run: fence[2] ?? "" };
      else if (NESTED_FENCE.test(line)) nested = true;
      prose.push(fence === null ? line : "");
    } else if (fence !== null && closes(fence, open.run)) {
      if ((fence[1] ?? "").length < open.indent) return undefined;
      open = undefined;
    } else if (open.indent > 0 && mayEndList(line, open.indent)) {
      return undefined;
    }
  }
  if (open !== undefined) return undefined;
  return nested ? lines : prose;
}

function closes(fence: RegExpExecArray, opening: string): boolean {
  const run = fence[2] ?? "";
  return run[0] === opening[0] && run.length >= opening.length && BLANK.test(fence[3] ?? "");
}

/** An indented fence may belong to a list item. These lines would end the item, or the fence inside it only. */
function mayEndList(line: string, indent: number): boolean {
  if (BLANK.test(line)) return false;
  return line.search(/[^ ]/) < indent || NESTED_FENCE.test(line);
}

function hasHtml(lines: string[]): boolean {
  let spansAreSure = true;
  for (const line of lines) {
    if (BLANK.test(line)) spansAreSure = true;
    if (!line.includes("<") && !line.includes("`")) continue;
    const { rest, sure } = withoutSpans(line);
    spansAreSure &&= sure;
    if (HTML.test(withoutTableBreaks(spansAreSure ? rest : line))) return true;
  }
  return false;
}

/** `<br>` is how a table's cell gets a second line. Elsewhere it may begin an HTML block. */
function withoutTableBreaks(line: string): string {
  return line.startsWith("|") ? line.replace(/<br ?\/?>/gi, " ") : line;
}

/**
 * The line with its code spans taken out, and whether they surely are spans: a run of backticks without its pair, a
 * backslash before one or one inside `<…>` may pair otherwise. Spans with `|` stay: a table cell ends inside them.
 */
function withoutSpans(line: string): { rest: string; sure: boolean } {
  let rest = "";
  let sure = true;
  let at = 0;
  for (const { start, end } of backtickRuns(line)) {
    if (start < at) continue;
    if (end === undefined || line[start - 1] === "\\") sure = false;
    const code = line.slice(start, end ?? start);
    rest += line.slice(at, start) + (code.includes("|") ? code : "`");
    at = start + code.length;
  }
  rest += line.slice(at);
  return { rest, sure: sure && !/<[^\s<>]*`/.test(rest) };
}

/** Each run of backticks, with the end of the next run of the same length, where there is one. */
function backtickRuns(line: string): { start: number; end: number | undefined }[] {
  const nextOfLength = new Map<number, number>();
  const runs = [...line.matchAll(/`+/g)].toReversed().map((run) => {
    const end = nextOfLength.get(run[0].length);
    nextOfLength.set(run[0].length, run.index + run[0].length);
    return { start: run.index, end };
  });
  return runs.toReversed();
}
