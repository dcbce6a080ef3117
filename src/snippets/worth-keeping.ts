/**
 * Finds passages of a session that evidence shows are worth keeping: errors with what was tried and what fixed them,
 * calls that a person refused with a reason, and rules that a person stated. Judging anything else is left to the
 * reader of the session.
 */
import { oneLine } from "../neutral-text.ts";
import { counted } from "../quantities.ts";
import { basename } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { findFixes, type ToolFix } from "../fixes/find-fixes.ts";
import { tellingLines } from "../fixes/signature.ts";
import type { ParsedContentBlock, ParseResult, ToolCall, TranscriptMessage } from "../parse/model.ts";
import { isPrompt } from "../parse/turns.ts";
import { isReminderText } from "../parse/prompts.ts";
import { targetOf } from "../fixes/targets.ts";
import { userWords } from "../parse/user-words.ts";
import { shellLineOf } from "../calls/ending.ts";
import type { SnippetType } from "../store/stored-model.ts";

export type ConversationRows = Pick<ParseResult, "messages" | "content_blocks" | "tool_calls">;

/** One block of a session with its message. */
export interface Said {
  message: TranscriptMessage;
  block: ParsedContentBlock;
  /** Number of prompts up to here. */
  turn: number;
  /** Index among all blocks. */
  at: number;
  /** The call in this block, with its outcome. */
  call: ToolCall | undefined;
}

/**
 * Role of an entry in a suggestion. `context` is what a person reacted to; it is shown, but not part of the cited
 * lines.
 */
export type EvidenceRole =
  | "context"
  | "failed"
  | "tried"
  | "explained"
  | "changed"
  | "succeeded"
  | "corrected"
  | "concluded";

export interface Evidence {
  said: Said;
  role: EvidenceRole;
  /** The relevant line of a long output, which is shown with the lines around it. */
  focus?: string | undefined;
}

/** A passage worth keeping, before it is formatted. */
export interface Candidate {
  snippet_type: SnippetType;
  title: string;
  /** From 0 to 1. */
  score: number;
  reason: string;
  /** Entries in the order of the session, each once. */
  evidence: Evidence[];
}

interface Conversation {
  all: readonly Said[];
  byBlock: ReadonlyMap<string, Said>;
}

/** Returns everything worth keeping in the session, best first. An entry belongs only to the best of its candidates. */
export function worthKeeping(rows: ConversationRows): Candidate[] {
  const conversation = conversationOf(rows);
  const fixes = findFixes(rows.messages, rows.content_blocks, rows.tool_calls);
  const candidates = [...fixedErrors(fixes, conversation), ...refusals(conversation), ...statedRules(conversation)];
  const used = new Set<Said>();
  return candidates
    .toSorted((a, b) => b.score - a.score)
    .filter((candidate) => {
      const own = citedIn(candidate);
      if (own.some((each) => used.has(each))) return false;
      for (const each of own) used.add(each);
      return true;
    });
}

export function citedIn({ evidence }: Pick<Candidate, "evidence">): Said[] {
  return evidence.filter(({ role }) => role !== "context").map(({ said }) => said);
}

function conversationOf(rows: ConversationRows): Conversation {
  const blocks = Map.groupBy(rows.content_blocks, ({ message_id }) => message_id);
  const calls = new Map(rows.tool_calls.flatMap((call) => (call.use === null ? [] : [[call.use.block_id, call]])));
  const all: Said[] = [];
  let turn = 0;
  for (const message of rows.messages) {
    if (isPrompt(message) && !message.is_sidechain) turn += 1;
    for (const block of blocks.get(message.id) ?? [])
      all.push({ message, block, turn, at: all.length, call: calls.get(block.id) });
  }
  return { all, byBlock: new Map(all.map((said) => [said.block.id, said])) };
}

/** Returns what the assistant said to the person; undefined for anything else. */
function answerText({ message, block }: Said): string | undefined {
  if (block.block_type !== "text" || message.message_type !== "assistant") return undefined;
  return message.metadata.is_api_error === true ? undefined : (block.content_text ?? undefined);
}

/** Returns what a person typed in their own words: no commands, notes of the program or prompts for a subagent. */
function typedText({ message, block }: Said): string | undefined {
  const { metadata, is_sidechain } = message;
  if (block.block_type !== "text" || !isPrompt(message) || is_sidechain || metadata.command !== undefined)
    return undefined;
  const text = (block.content_text ?? "").trim();
  // Commands and skills are loaded as text in tags or as pages of Markdown.
  const isLoaded =
    /^(?:<[\w-]+>|Caveat: The messages below|Operation stopped by hook|Base directory for this skill)/.test(text) ||
    /^"?#{1,3} \S/m.test(text);
  return text === "" || isLoaded || isReminderText(text) ? undefined : text;
}

function resultOf({ call }: Said, { byBlock }: Conversation): Said | undefined {
  return call?.result ? byBlock.get(call.result.block_id) : undefined;
}

function evidenceOf(role: EvidenceRole, ...said: readonly (Said | undefined)[]): Evidence[] {
  return said.flatMap((each) => (each === undefined ? [] : [{ said: each, role }]));
}

/**
 * Names of things in code: `quoted` words, paths, identifiers, ports and codes, which are the same in every natural
 * language.
 */
const NAME =
  /`([^`\n]{3,80})`|(?<![\w@./-])((?:[\w@.-]{1,80}\/){1,20}[\w.-]{1,80}|--[a-z][\w-]{1,60}|[A-Za-z]\w*(?:_\w+)+|[a-z]+\d*(?:[A-Z][a-z0-9]*)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[\w-]+\.[a-z]{1,5}\b|\b\d{4,6}\b)/g;
const MAX_NAMES = 60;
const NAME_CHARS = 16_000;

/** Returns the names in a text; for a path, its last part. */
function namesIn(text: string): string[] {
  const names = [...text.slice(0, NAME_CHARS).matchAll(NAME)].slice(0, MAX_NAMES);
  return names.map(([, quoted, bare = ""]) => quoted ?? bare.slice(bare.lastIndexOf("/") + 1));
}

function sharesName(text: string, error: string): boolean {
  return namesIn(text).some((name) => error.includes(name));
}

/** In these scripts, one character says about as much as this many letters. */
const DENSE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;
const DENSE_WEIGHT = 2.5;

/** Returns the length of a text in equivalent letters of an alphabet. */
function lengthOf(text: string): number {
  return text.length + (DENSE_WEIGHT - 1) * (text.match(DENSE)?.length ?? 0);
}

const FENCE = /^[ \t]*(?:```|~~~)[^\n]*\n[^]*?(?:^[ \t]*(?:```|~~~)[ \t]*$|$(?![^]))/gm;

/** Returns the sentences of a text without code blocks, tables, quotations and Markdown markup. */
function sentencesOf(text: string): string[] {
  return text
    .replaceAll(FENCE, "\n\n")
    .split("\n")
    .filter((line) => !/^\s*(?:\||>|[-=*_]{3,}\s*$)/.test(line))
    .flatMap((line) => line.split(/(?<=[.!?]["')*]*)\s+(?=[\p{Lu}\p{Lo}"'`*([])|(?<=\p{L}{2}[.!?])\s+|(?<=[。！？])/u))
    .map(plainLine)
    .filter((sentence) => sentence !== "");
}

function plainLine(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\*\*|__/g, "")
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(?:[-*+•]|#{1,6}|\d+[.)])\s+/, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

const MAX_TITLE_CHARS = 140;

export function cutTitle(text: string): string {
  return oneLine(plainLine(text), MAX_TITLE_CHARS).replace(/[:;,]$/, "");
}

// ---- Errors with what fixed them ----

/**
 * Errors whose message says everything: rules of the host for its own tools, guessed paths, unknown options, unused
 * names.
 */
const SLIP =
  /has not been read yet|has been (?:modified|unexpectedly modified) since|string to replace not found|could not find oldString|found \d+ matches of the string|InputValidationError|invalid arguments|SchemaError|required parameter|requested permissions|haven't granted|was blocked\. For security|EISDIR|no such file or directory|does not exist|file not found|not found in (?:PATH|file)|command not found|unknown (?:flag|option|command|json field|argument)|unrecognized (?:option|argument)|no such option|parse error near|imported and not used|declared and not used|is defined but never used|is assigned a value but never used|exceeds maximum allowed tokens|user doesn't want|sibling tool call errored|Cannot find module '(?:\/|\.|[A-Z]:)|CONFLICT \(|could not apply|did not match any files|not under version control|Failed to find expected lines/i;
const HEAD_CHARS = 600;
/** Maximum characters of an output that are searched. */
const OUTPUT_CHARS = 20_000;

const LONG_EXPLANATION = 200;
/** Minimum length of a sentence that makes sense on its own. */
const MIN_CAUSE = 50;
/** Maximum number of entries between an error and its fix; further apart, too much else happened. */
const MAX_DISTANCE = 80;
/**
 * Minimum number of further failures for a test that the session itself wrote: with fewer, the code was simply not
 * finished.
 */
const MIN_TRIES = 2;
const MAX_SHOWN = { explained: 4, tried: 3, changed: 4 };
/**
 * Compilers, linters and formatters say what to change, so their errors teach little. Recognised by a position in the
 * line, or by name.
 */
const DIAGNOSTIC = /:\d+:\d+\b|\(\d+,\d+\)|\berror(?:\[E| TS)\d+/i;
const CHECKER =
  /\b(?:biome|prettier|oxfmt|ruff|black|flake8|mypy|pyright|gofmt|clippy|rustfmt|rubocop|tsc|typecheck|type-check|check-types|(?:run|npm|pnpm|yarn|bun|cargo|go|mise|dart|flutter) (?:fmt|format|check|vet|analyze)|\w*lint(?:er|ing)?)\b/i;
/** A one-off script, whose errors concern only itself. */
const SCRIPT =
  /\n[^]*\n|<<|\b(?:awk|sed|jq)\s|\b(?:for|while)\s[^]*;\s*do\b|\b(?:python3?|node|bun|perl|ruby|php)\s+-[cer]\b/;
/** Phrases that introduce a cause, in several languages. */
const CAUSE =
  /\b(?:because|since (?:it|that|this|they|the)|due to|caused? by|root cause|turns out|(?:issue|problem|cause|reason|culprit|bug|fix) (?:is|was)|weil|liegt an|denn|porque|debido|parce que)\b|原因|ため|ので|因为|由于|때문/iu;
/** Phrases for a next step, a guess, or something that works, none of which is a cause. */
const NO_CAUSE =
  /^(?:but|so|and|also|however|let me|let['’]s|i['’]m|i am|my (?:\w+ )?focus|now|next|first|i need|i['’]ll|i will|hmm|wait)\b|\b(?:might|maybe|perhaps|probably|likely|seems?|looks (?:fine|good)|as expected|match the expected|should (?:now )?(?:work|pass))\b/i;
/** A test that is adapted to the code. */
const EXPECTATION = /\b(?:expect|assert)\w*\b|\bupdat\w+ the tests?\b|\btests? (?:need|should|must)\b/i;
const TEST_FILE = /(?:^|[/_.-])(?:tests?|specs?|fixtures?|__tests__)(?=[/_.-])/i;

function fixedErrors(fixes: readonly ToolFix[], conversation: Conversation): Candidate[] {
  // Consecutive failures share one fix: the first of them begins the story.
  const stories = Map.groupBy(
    fixes.filter(({ fix, failed }) => fix !== null && !isSlip(failed)),
    ({ fix }) => fix,
  );
  return [...stories.values()].flatMap((story) => fixedError(story, conversation) ?? []);
}

function isSlip({ error, result_text, tool_input }: ToolCall): boolean {
  const command = shellLineOf(tool_input) ?? "";
  const message = (error ?? result_text ?? "").slice(0, HEAD_CHARS);
  return SLIP.test(message) || SCRIPT.test(command) || CHECKER.test(`${command}\n${message}`);
}

function fixedError(story: readonly ToolFix[], conversation: Conversation): Candidate | undefined {
  const { byBlock, all } = conversation;
  const [first] = story;
  const start = first?.failed.use && byBlock.get(first.failed.use.block_id);
  const end = first?.fix?.use && byBlock.get(first.fix.use.block_id);
  if (!first || !start || !end || end.at - start.at > MAX_DISTANCE) return undefined;
  const error = stripVTControlCharacters((first.failed.error ?? "").slice(0, OUTPUT_CHARS));
  const between = all
    .slice(start.at + 1, end.at)
    .filter(({ message, turn }) => message.agent_id === start.message.agent_id && turn === start.turn);
  const words = explanation(between, error);
  const prose = words.map(reasoningText).join("\n");
  const cause = causeIn(prose);
  if (cause === undefined || !sharesName(prose, error)) return undefined;
  const telling = tellingLine(error, prose);
  if (DIAGNOSTIC.test(telling ?? "")) return undefined;
  const changed = between.filter((said) => changedPaths(said).length > 0);
  const told = words.filter((said) => causeIn(reasoningText(said)) !== undefined).slice(-MAX_SHOWN.explained);
  const tried = triesOf(story, conversation);
  const isLong = lengthOf(prose) >= LONG_EXPLANATION;
  // An error understood and fixed at the first attempt is routine.
  if (tried.length === 0 && !isLong) return undefined;
  const isOtherProgram = programsOf(end).some((program) => !programsOf(start).includes(program));
  const written = new Set(all.slice(0, start.at).flatMap(changedPaths));
  const isOwnTest = [...written].some((path) => TEST_FILE.test(path) && error.includes(basename(path)));
  if (isOwnTest && tried.length < MIN_TRIES) return undefined;
  if (changed.length > 0 && !isOtherProgram && isOwnWork(changed.flatMap(changedPaths), written, prose))
    return undefined;
  const score = 0.6 + (isLong ? 0.1 : 0) + Math.min(tried.length, 2) * 0.1 + (changed.length > 0 ? 0.1 : 0);
  const failed = (said: Said, role: EvidenceRole): Evidence[] => [
    { said, role },
    ...evidenceOf(role, resultOf(said, conversation)).map((each) => ({ ...each, focus: telling })),
  ];
  return {
    snippet_type: "error_reasoning",
    title: cutTitle(cause),
    score: Math.round(score * 100) / 100,
    reason: `A call failed${again(tried.length)}, the assistant says why, and a later call on the same target succeeded.`,
    evidence: inOrder([
      ...failed(start, "failed"),
      ...evidenceOf("explained", ...told),
      ...tried.slice(0, MAX_SHOWN.tried).flatMap((said) => failed(said, "tried")),
      ...evidenceOf("changed", ...changed.slice(-MAX_SHOWN.changed)),
      ...evidenceOf("succeeded", end, resultOf(end, conversation)),
    ]),
  };
}

function again(times: number): string {
  return times === 0 ? "" : `, then ${counted(times, "more time")}`;
}

/**
 * Returns true if the fix changed code that the session itself wrote, or the expectations of tests. Such routine work
 * says nothing about the project or its tools.
 */
function isOwnWork(changed: readonly string[], written: ReadonlySet<string>, prose: string): boolean {
  const isTestMended = changed.every((path) => TEST_FILE.test(path)) && EXPECTATION.test(prose);
  return isTestMended || changed.every((path) => written.has(path));
}

/**
 * Returns texts about the error: those that mention a name from it, and the first one if it gives a cause. Thinking
 * counts if nothing was said.
 */
function explanation(between: readonly Said[], error: string): Said[] {
  const texts = between.filter((said) => answerText(said) !== undefined);
  const told = texts.filter(
    (said) => sharesName(reasoningText(said), error) || causeIn(reasoningText(said)) !== undefined,
  );
  if (told.length > 0) return told;
  return between.filter((said) => said.block.block_type === "thinking" && sharesName(reasoningText(said), error));
}

function reasoningText(said: Said): string {
  return answerText(said) ?? said.block.thinking_text ?? "";
}

/**
 * Returns the sentence that gives the cause and makes sense on its own: the one with the most names, preferring later
 * ones, since earlier ones may be guesses.
 */
function causeIn(text: string): string | undefined {
  const causes = sentencesOf(text).filter(
    (sentence) =>
      CAUSE.test(sentence) &&
      !NO_CAUSE.test(sentence) &&
      lengthOf(sentence) >= MIN_CAUSE &&
      !/[:：?？]$/.test(sentence),
  );
  return causes.toReversed().toSorted((a, b) => namesIn(b).length - namesIn(a).length)[0];
}

function inOrder<T extends { said: Said }>(evidence: readonly T[]): T[] {
  const first = new Map(evidence.toReversed().map((each) => [each.said, each]));
  return [...first.values()].toSorted((a, b) => a.said.at - b.said.at);
}

function triesOf(story: readonly ToolFix[], { byBlock }: Conversation): Said[] {
  const [first] = story;
  const again = new Set(story.flatMap(({ failed, attempts }) => [failed, ...attempts]));
  return [...again].flatMap((call) => (call !== first?.failed && call.use && byBlock.get(call.use.block_id)) || []);
}

function programsOf({ call }: Said): string[] {
  const steps = call === undefined ? [] : targetOf(call.tool_name, call.tool_input, null).steps;
  return steps.flatMap(({ purpose, role }) => (purpose.kind === "run" && role !== "apart" ? [purpose.program] : []));
}

function changedPaths({ call }: Said): string[] {
  if (call?.status !== "completed") return [];
  return targetOf(call.tool_name, call.tool_input, null).steps.flatMap(({ purpose }) =>
    purpose.kind === "write" ? purpose.paths.map(({ full }) => full) : [],
  );
}

/**
 * Returns the line of an error that describes the problem: one with a name from the explanation, otherwise the first.
 */
function tellingLine(error: string, words: string): string | undefined {
  const lines = tellingLines(error);
  return lines.find((line) => sharesName(words, line)) ?? lines[0];
}

// ---- Calls that a person refused ----

/** Minimum length of the user's words: shorter ones refuse, but give no reason or alternative. */
const MIN_WORDS = 30;
/** Maximum length: longer ones describe another task. */
const MAX_WORDS = 800;

/**
 * Phrases for a reason, a habit or an alternative, in several languages. A refusal without one is about the current
 * task only.
 */
const REDIRECTION =
  /\b(?:because|so that|since (?:it|that|this|they|the|we)|too (?:slow|long|big|large|complex|risky)|for (?:clarity|consistency|safety|security|simplicity)|always|never(?! mind)|prefer|avoid|by default|(?:we|i) (?:do not|don['’]?t) want|we (?:only )?(?:want|use|always|never)|(?:should|must)(?: not|n['’]t| never)|instead of|rather than|nicht|kein\w*|statt|sondern|lieber|weil|plutôt|parce que|en vez|porque)\b|\b(?:do not|don['’]?t) (?!worry|mind|know|think|see|have\b|understand|get\b)[^\n]+[,;:–—] +\S+ +\S+|[,;:–—] +\S[^\n]*\binstead\b|\bnot\b[^\n]+\bbut\b|, not \w|しない|ではなく|やめ|不要|别|而不是|말고|하지 ?마/iu;
/** Phrases for something that applies only for now. */
const MOMENTARY =
  /\bfirst\W*$|^(?:first|wait|hang on|hold on|in that case|if so|this time)\b|\b(?:for now|right now|just now|this once|not yet)\b|(?:erst ?mal|zuerst)/i;

function refusals(conversation: Conversation): Candidate[] {
  const told = new Map<Said, Said[]>();
  for (const said of conversation.all) {
    const reason = said.call?.status === "rejected" ? reasonFor(said, conversation) : undefined;
    if (reason !== undefined) told.set(reason, [...(told.get(reason) ?? []), said]);
  }
  return [...told].flatMap(([reason, calls]) => refusal(reason, calls, conversation) ?? []);
}

/** Returns where the person gives the reason: in the refusal itself, or in the next prompt if nothing comes between. */
function reasonFor(refused: Said, conversation: Conversation): Said | undefined {
  const result = resultOf(refused, conversation);
  if (result === undefined || refused.call === undefined) return undefined;
  // Leaving a question unanswered is not a refusal.
  if (/question/i.test(refused.call.tool_name ?? "")) return undefined;
  if (userWords(refused.call) !== undefined) return result;
  const next = conversation.all
    .slice(result.at + 1)
    .find(
      (said) =>
        answerText(said) !== undefined ||
        (said.call !== undefined && said.call.status !== "rejected") ||
        typedText(said) !== undefined,
    );
  const words = next === undefined ? undefined : typedText(next);
  return words !== undefined && sharesWord(words, refused.call) ? next : undefined;
}

function sharesWord(words: string, { tool_input }: ToolCall): boolean {
  const input = JSON.stringify(tool_input ?? "").toLowerCase();
  return (words.toLowerCase().match(/[\p{L}\d_]{4,}/gu) ?? []).some((word) => input.includes(word));
}

function refusal(reason: Said, calls: readonly Said[], { all }: Conversation): Candidate | undefined {
  const words = typedText(reason) ?? (calls[0]?.call && userWords(calls[0].call)) ?? "";
  const sentences = sentencesOf(words);
  if (lengthOf(words) < MIN_WORDS || lengthOf(words) > MAX_WORDS) return undefined;
  const telling = sentences.find(
    (sentence) => REDIRECTION.test(sentence) && !MOMENTARY.test(sentence) && !QUESTION.test(sentence),
  );
  if (telling === undefined) return undefined;
  const answer = all.slice(reason.at + 1).find((said) => said.turn === reason.turn && answerText(said) !== undefined);
  return {
    snippet_type: ruleIn(words, false) === undefined ? "decision_rationale" : "learning_pattern",
    title: cutTitle(telling),
    score: 0.8,
    reason: "The user refused a call and said what to do instead.",
    evidence: [
      ...evidenceOf("tried", ...calls.slice(0, MAX_SHOWN.tried)),
      ...evidenceOf("corrected", reason),
      ...evidenceOf("concluded", answer),
    ],
  };
}

// ---- Rules that a person stated ----

/**
 * Phrases for a rule that applies from now on, whatever the task. `opening` ones count only at the beginning of a
 * clause: "it always fails" is not a rule. To support a language, add a line.
 */
const RULES: readonly { opening?: string; anywhere?: string }[] = [
  {
    opening: String.raw`(?:(?:also|and|but|so|ok|no|please|you|we|should|must|need to|have to|want you to|make sure(?: to| you| that you)?|be sure to|remember to)[ ,]+)*(?:always|never|do not ever|don['’]?t ever)[ ]+(?!mind\b|\w+ed\b)[a-z]+|remember (?:to|that)\b|as a (?:general )?rule\b|(?:do not|don['’]?t|avoid|never) [^.!?,\n]{3,120}\b(?:again|ever|because|otherwise|every time|(?:since|as) (?:it|that|this|they|the|we))\b|as always|i (?:always|never) want|i prefer\b|(?:every time|whenever) (?:you|we)\b`,
    anywhere: String.raw`\bfrom now on\b|\b(?:should|must) never\b|\b(?:should|must) not [^.!?\n]{3,80}\bever\b|\b(?:going forward|next time|in (?:the )?future),? (?:please|do|don['’]?t|use|make|you|we|always|never|ask|run|just|if|when)\b|\bour (?:convention|rule|policy|standard|style)s? (?:is|are)\b`,
  },
  {
    opening: String.raw`(?:(?:bitte|du (?:sollst|musst)|wir)\s+)*(?:immer|nie|niemals) (?!noch|wieder|mehr)\p{L}+|(?:bitte )?(?:verwende|benutze|nutze|nimm|schreibe?|mache?|führe?|prüfe?|frage?) [^.!?\n]{0,60}(?:immer|nie|niemals) `,
    anywhere: String.raw`(?<!\p{L})(?:ab (?:jetzt|sofort)|von nun an|künftig|in zukunft|(?:beim )?nächsten? mal|nie wieder)(?!\p{L})`,
  },
  {
    opening: "(?:toujours|jamais|utilisez?|préfère) ?",
    anywhere: String.raw`désormais|dorénavant|à l['’]avenir|à partir de maintenant`,
  },
  { opening: "(?:siempre|nunca) ", anywhere: "de ahora en adelante|a partir de ahora|en el futuro" },
  { anywhere: "今後は|これからは|次(?:回)?からは?|必ず|常に|毎回|二度と|絶対に" },
  { opening: "以后|每次", anywhere: "今后|从现在(?:开始|起)|务必|永远不要|不要再|总是要|一律" },
  { anywhere: "앞으로는?|항상|절대로?|반드시" },
];
const CLAUSE_START = String.raw`(?:^|[.!;:,(、，。！]\s*|\s[-–—]\s+)`;
const RULE = new RegExp(
  RULES.flatMap(({ opening, anywhere }) => [
    ...(opening === undefined ? [] : [`${CLAUSE_START}(?:${opening})`]),
    ...(anywhere === undefined ? [] : [anywhere]),
  ]).join("|"),
  "iu",
);
/** Phrases that prefer one way to another. In the first prompt they belong to the task. */
const REPLACEMENT = new RegExp(
  `${CLAUSE_START}(?:please )?(?:use|prefer|run|write|call|name|put) [^.!?\\n]{1,80} (?:instead of|rather than) |${CLAUSE_START}(?:bitte )?(?:verwende|benutze|nutze|nimm) [^.!?\\n]{1,80}(?:statt|anstelle|anstatt) |ではなく.{1,30}(?:使|して)|而不是`,
  "iu",
);
const QUESTION =
  /[?？؟]["')*]*$|(?:か|吗|呢)[。\s]*$|^(?:(?:ok|so|and|but|hm+)[, ]+)*(?:what|why|how|where|when|which|who|is|are|does|do (?:i|we|you)|did|can|could|should|would|will|explain)\b/iu;
const MIN_RULE = 15;

function ruleIn(text: string, isFirst: boolean): string | undefined {
  return sentencesOf(text).find(
    (sentence) =>
      (RULE.test(sentence) || (!isFirst && REPLACEMENT.test(sentence))) &&
      !QUESTION.test(sentence) &&
      !MOMENTARY.test(sentence) &&
      // A quotation is someone else's words.
      !/^["“„«「]/.test(sentence) &&
      lengthOf(sentence) >= MIN_RULE,
  );
}

/** Returns prompts that contain a rule. Long prompts are tasks or documents, whose rules apply only to these. */
function statedRules({ all }: Conversation): Candidate[] {
  return all.flatMap((prompt) => {
    const text = typedText(prompt) ?? "";
    if (text === "" || lengthOf(text) > MAX_WORDS) return [];
    const before = all.findLast((said) => said.at < prompt.at && answerText(said) !== undefined);
    const rule = ruleIn(text, before === undefined);
    if (rule === undefined) return [];
    const answer = all.slice(prompt.at + 1).find((said) => said.turn !== prompt.turn || answerText(said) !== undefined);
    return [
      {
        snippet_type: "learning_pattern" as const,
        // "Never do that again" means nothing without the text before it.
        title: cutTitle(/\b(?:do|does|did|doing) (?:that|this|it)\b/i.test(rule) ? text : rule),
        score: 0.7,
        reason: "The user says how things are to be done from now on.",
        evidence: [
          ...evidenceOf("context", before),
          ...evidenceOf("corrected", prompt),
          ...evidenceOf("concluded", answer?.turn === prompt.turn ? answer : undefined),
        ],
      },
    ];
  });
}
