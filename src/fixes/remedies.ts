/**
 * Determines what fixed a failed call: the edits and commands before its success that touched what the failure was about,
 * and what changed in the call itself.
 */
import { isFields } from "../parse/json-fields.ts";
import type { ToolCall } from "../parse/model.ts";
import { blameFor, type Clue } from "./evidence.ts";
import { callPath, relatePaths, samePath, type CallPath } from "../calls/file-paths.ts";
import { inputDiff } from "./call-diff.ts";
import { asPattern, asText, changedFields, MANNERS } from "./likeness.ts";
import { errorSignature, plainLine, tellingLines } from "./signature.ts";
import type { Purpose, Step, Target } from "./targets.ts";

/** A call of the agent, with what it did. */
export interface DoneCall {
  call: ToolCall;
  target: () => Target;
}

/** Maximum number of calls returned: the last ones, which are nearest to the success. */
const MAX_REMEDIES = 12;

/**
 * Returns the calls among `between` that made the error go away, in order. `attempts`: the failed calls on the same target
 * among them. Empty if nothing is known to have made the difference.
 */
export function remediesFor(
  failed: DoneCall,
  between: readonly DoneCall[],
  attempts: readonly DoneCall[],
  clue: Clue,
): ToolCall[] {
  if (PASSING.test(clue.text)) return [];
  const span = spanOf(failed, between, attempts).filter(
    ({ call }) => call.status === "completed" || call.status === "pending",
  );
  const about = aboutOf(failed.target(), clue);
  const isUnread = UNREAD.test(clue.text) && failed.target().steps.some(({ purpose }) => purpose.kind === "write");
  if (isUnread)
    return span
      .filter(({ target }) => target().steps.some((step) => reads(step, about.files)))
      .slice(-1)
      .map(({ call }) => call);
  const edits = ENVIRONMENT.test(clue.text)
    ? []
    : span.filter(({ target }) => target().steps.some((step) => editsWithin(step, about.folders)));
  const named = edits.filter(({ target }) => target().steps.some((step) => editsNamed(step, about.files)));
  // A compiler names the places to change. A test that fails is named, while the code that it tests need not be.
  const programs = failed.target().steps.flatMap(({ command }) => command?.program.split("-")[0] ?? []);
  const configs = edits.filter(({ target }) => target().steps.some((step) => editsConfig(step, programs)));
  const isSure =
    (named.length > 0 && isCompiled(failed.target())) ||
    named.some(({ target }) => target().steps.some((step) => editsNamed(step, about.files, isSource)));
  const touched = new Set<DoneCall>(isSure ? [...named, ...configs] : [...named, ...edits]);
  const helpers = span.filter((each) => !touched.has(each) && helps(each, failed, about, clue, isSure));
  // What names the problem explains more than what is of the right kind.
  const exact = helpers.filter(({ target }) => target().steps.some((step) => namesProblem(step, clue)));
  for (const each of exact.length > 0 ? exact : helpers) touched.add(each);
  // A dependency that was written down has to be installed as well.
  if (named.some(({ target }) => target().steps.some(editsManifest))) {
    for (const each of span)
      if (each.target().steps.some(({ command }) => command && INSTALLS.test(lineWith(command)))) touched.add(each);
  }
  const way =
    touched.size === 0 && ELSEWHERE.test(clue.text)
      ? between.findLast((each) => goesElsewhere(each, failed.target()))
      : undefined;
  if (way) touched.add(way);
  // One or two commands between a failed command and its success are what was done about it.
  const others = span.filter(({ target }) => target().steps.some(changesSomething));
  const isCommand = failed.target().steps.some(({ purpose }) => purpose.kind === "run");
  if (touched.size === 0 && isCommand && others.length <= 2) for (const each of others) touched.add(each);
  return between
    .filter((each) => touched.has(each))
    .slice(-MAX_REMEDIES)
    .map(({ call }) => call);
}

/** Matches errors that nothing in the call or the code brought about: it was not run, or what runs it failed. */
const PASSING =
  /^(?:<tool_use_error>)?(?:Sibling tool call errored|Cancelled: parallel tool call|Command failed: cygpath)|temporarily unavailable|overloaded_error|\bOverloaded\b/i;
/** Matches errors of the surroundings, which no edit of the code mends. */
const ENVIRONMENT =
  /unsupported (?:environment|engine)|command not found|ECONNREFUSED|connection refused|cannot connect to|permission denied|EACCES|ENOSPC|no space left|index\.lock|rate limit|not logged in|authentication failed|unauthorized|bad credentials|no upstream branch|fetch first|non-fast-forward|rule violations|no configured push destination|not a git repository/i;

/**
 * Returns the calls after the last attempt that had the whole error again, and before the first that had nothing of it,
 * whether that succeeded or failed for another reason.
 */
function spanOf(failed: DoneCall, between: readonly DoneCall[], attempts: readonly DoneCall[]): readonly DoneCall[] {
  const wanted = problemLines(failed.call);
  if (wanted.size === 0) return between;
  let [start, end] = [0, between.length];
  for (const attempt of attempts) {
    const at = between.indexOf(attempt);
    const left = [...problemLines(attempt.call)].filter((line) => wanted.has(line)).length;
    if (left === wanted.size) start = at + 1;
    if (left > 0) continue;
    end = at;
    break;
  }
  return between.slice(start, end);
}

function problemLines({ error, result_text: text }: ToolCall): Set<string> {
  const message = error ?? text ?? "";
  const telling = tellingLines(message).map(plainLine);
  return new Set(
    telling.length > 0
      ? telling
      : errorSignature(message)
          .split("\n")
          .filter((line) => line !== ""),
  );
}

const MANIFEST =
  /(?:^|\/)(?:package\.json|mix\.exs|Cargo\.toml|go\.mod|pyproject\.toml|requirements[\w-]*\.txt|Gemfile|pubspec\.yaml|composer\.json|Package\.swift)$/;
const INSTALLS =
  /^install packages|^mix deps\.get|^bundle install|^(?:flutter|dart) pub get|^go mod (?:tidy|download)|^(?:pip3?|uv|poetry|composer|npm|pnpm|yarn|bun) (?:\S+ )*(?:install|sync|ci|update)\b/;

function editsManifest({ purpose }: Step): boolean {
  return purpose.kind === "write" && purpose.paths.some(({ full }) => MANIFEST.test(full));
}

/** Matches errors of a call in the wrong folder. */
const ELSEWHERE = /not a git repository|no such file|does not exist|not found|cannot find|outside (?:of )?the/i;

/** Returns whether a call only changed the folder of the next ones, or did the same in another one. */
function goesElsewhere({ target }: DoneCall, failed: Target): boolean {
  const { line, steps } = target();
  const own = new Set(failed.steps.map(({ command }) => command && lineWith(command)));
  const isQuiet = ({ command }: Step): boolean =>
    command === null ||
    own.has(lineWith(command)) ||
    /^(?:cd|pushd|set-location)$/i.test(command.program) ||
    onlyLooks(command);
  return /^\s*(?:cd|pushd|set-location)\s/i.test(line ?? "") && steps.every(isQuiet);
}

interface About {
  /** Files that the error or the call names. */
  files: readonly CallPath[];
  /** Folders that the failed command works on. */
  folders: readonly CallPath[];
}

const PATH_IN_TEXT = /(?:[A-Za-z]:)?(?:[\w.@~+-]+)?(?:[\\/][\w.@+[\]-]+)+|\b[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,4}\b/g;

function aboutOf(target: Target, clue: Clue): About {
  const { steps } = blameFor(target.steps, clue);
  const named = [...new Set(clue.text.match(PATH_IN_TEXT))].slice(0, 200).map((path) => callPath(path, null));
  const own = steps.flatMap(({ purpose }) => pathsOf(purpose));
  const folders = steps.flatMap(({ purpose, folder }) => {
    if (purpose.kind !== "run") return [];
    const paths = pathsOf(purpose).map(({ full }) => callPath(/\.\w+$/.test(full) ? `${full}/..` : full, null));
    const home = callPath(".", folder);
    return paths.length > 0 && paths.every((path) => relatePaths(home, path) === null) ? paths : [home, ...paths];
  });
  return { files: [...named, ...own], folders };
}

function pathsOf(purpose: Purpose): CallPath[] {
  if ("paths" in purpose) return purpose.paths;
  return purpose.kind === "run" ? purpose.words.flatMap(({ path }) => (path === null ? [] : [path])) : [];
}

function isSource({ full }: CallPath): boolean {
  return !/(?:[._-](?:test|spec)s?\.|_test\.|(?:^|\/)test_|(?:^|\/)(?:tests?|__tests__|spec)\/)/i.test(full);
}

/** Returns whether a command compiles or checks code without running it. */
function isCompiled({ steps }: Target): boolean {
  return steps.some(({ command }) => command !== null && COMPILERS.test(lineWith(command)));
}

const COMPILERS =
  /(?:^| )(?:\S*:)?(?:typecheck|type-check|types|tsc|vet|build|check|compile|clippy|mypy|pyright|gcc|g\+\+|clang|javac|rustc)(?: |$)/i;

/** Matches files that no command runs. */
const PROSE = /\.(?:md|mdx|txt|rst|log)$/i;

function editsNamed(
  { purpose }: Step,
  files: readonly CallPath[],
  isCounted: (path: CallPath) => boolean = () => true,
): boolean {
  if (purpose.kind !== "write") return false;
  return purpose.paths.some((path) => isCounted(path) && files.some((file) => isNamedBy(path, file)));
}

/** Returns whether it changes the configuration of a program: `.golangci.yaml`, `vitest.config.ts`. */
function editsConfig({ purpose }: Step, programs: readonly string[]): boolean {
  if (purpose.kind !== "write") return false;
  return purpose.paths.some(({ full }) => {
    const [, name] =
      /(?:^|\/)\.?([a-z]\w{2,})(?:rc|\.config)?(?:\.(?:ya?ml|json[c5]?|toml|ini|[cm]?[jt]s))?$/i.exec(full) ?? [];
    return name !== undefined && programs.includes(name.toLowerCase());
  });
}

/** A bare name in an error may be in any folder. */
function isNamedBy(path: CallPath, { full }: CallPath): boolean {
  return samePath(path, callPath(full, null)) || path.full.endsWith(`/${full}`) || full.endsWith(`/${path.given}`);
}

function editsWithin({ purpose }: Step, folders: readonly CallPath[]): boolean {
  if (purpose.kind !== "write") return false;
  return purpose.paths.some(
    (path) => !PROSE.test(path.full) && folders.some((folder) => relatePaths(folder, path) === "inside"),
  );
}

/** Matches the refusal of an edit of a file that was not read, or changed since. */
const UNREAD =
  /not been read|(?:must|should|need to) (?:first )?(?:be )?read|read (?:it|the file) (?:first|again)|modified since/i;

/** Returns whether a call that is no edit of a file that the failure is about did something about it. */
function helps({ target }: DoneCall, failed: DoneCall, { files }: About, clue: Clue, isSure: boolean): boolean {
  return target().steps.some((step) =>
    step.purpose.kind === "write"
      ? editsNamed(step, files)
      : step.purpose.kind === "run" && commandHelps(step, failed.target(), clue, isSure),
  );
}

function reads({ purpose }: Step, files: readonly CallPath[]): boolean {
  return purpose.kind === "read" && purpose.paths.some((path) => files.some((file) => samePath(path, file)));
}

/** Kinds of errors, with the commands that do something about them. */
const REMEDIES: readonly (readonly [error: RegExp, command: RegExp])[] = [
  [
    /not found|no such|cannot find|could ?n[o']t (?:find|resolve|be found)|ENOENT|no module named|missing|not installed|unresolved|unable to (?:find|resolve)|not in your go\.mod|no required module/i,
    /^install packages|^(?:pip3?|apt|apt-get|brew|gem|apk|dnf|yum|conda) .*\binstall\b|^(?:cargo|uv|go|composer|poetry|dotnet) .*\b(?:add|get|tidy|sync|install|restore|fetch)\b|^(?:bundle|corepack|mise|nvm|rustup|asdf)\b|\b(?:build|generate|codegen|compile|prepare|setup|migrate)\b|^(?:mkdir|touch|ln)\b/i,
  ],
  [
    /ECONNREFUSED|connection refused|(?:cannot|could not|failed to) connect|not running|is the .* running/i,
    /\b(?:up|start|restart|serve|daemon|port-forward)\b|^(?:dockerd|redis-server|postgres|mysqld|ssh .*-\w*L)\b/i,
  ],
  [/does not exist|no such file/i, /^git (?:checkout|switch|pull|restore|stash (?:pop|apply))\b/],
  [/EADDRINUSE|address already in use|port .* in use/i, /^(?:kill|pkill|killall|fuser|lsof)\b|\b(?:stop|down)\b/i],
  [/permission denied|EACCES|not executable/i, /^(?:chmod|chown|sudo)\b/i],
  [
    /prettier|gofmt|format|lint|style|fmt\b|\bfix(?:able|ed with)\b/i,
    /(?:^| )(?:--fix|--write|-w|fmt|format|(?:\S*:)?(?:fmt|format|fix))(?: |$)/i,
  ],
  [/gpg|to sign\b|sign the data|tell me who you are|ident name/i, /^(?:git config|gpg|gpgconf|ssh-add)\b/i],
  [
    /conflict|unmerged|diverged|rejected|non-fast-forward|fetch first|would be overwritten|unstaged/i,
    /^git (?:pull|fetch|rebase|merge|add|stash|checkout|restore|commit|reset)\b/,
  ],
];
/** Matches the report of a linter that can mend a part of what it found itself. */
const FIXABLE = /\bformatter\b|\bfixable\b|--fix\b/i;
/** Commands that only look or check. */
const LOOKS =
  /^(?:git (?:log|status|diff|show|blame|branch|remote|rev-parse|ls-files|grep)|(?:ls|cat|head|tail|which|whereis|type|find|grep|rg|wc|echo|pwd|env|ps|file|stat|tree|sed|awk|jq|sort|diff|test|sleep|netstat|lsof|ss|df|du|uname|id|whoami|dig|nslookup|ping)\b)|(?: |^)(?:--version|--help|-h|--dry-run|list|ls|view|info|show|status|diff|checks|logs?)(?: |$)/;
const CHECKS =
  /(?:^| )(?:\S*:)?(?:tests?|lint|check|typecheck|type-check|types|tsc|vitest|jest|pytest|mypy|pyright|clippy|vet|eslint|biome|ruff|flake8|rspec|phpunit|mocha|ava|playwright|credo|dialyzer|rubocop|stylelint|golangci-lint|staticcheck|markdownlint\S*|vale)(?:\.\w+)?(?: |$)/i;
const FIXES = /(?:^| )(?:--fix|--write|-w|fmt|format|install|(?:\S*:)?(?:fmt|format|fix))(?: |$)/i;
/** Programs that change the files that their words name. */
const FILE_CHANGERS =
  /^(?:rm|rmdir|mv|cp|mkdir|ln|touch|chmod|chown|install|unzip|tar|git (?:rm|mv|add|checkout|restore|reset|stash|clean))\b/;

/** `isSure`: edits explain the success, so that only what concerns the same files counts beside them. */
function commandHelps({ command, purpose }: Step, failed: Target, { text }: Clue, isSure: boolean): boolean {
  if (command === null || onlyLooks(command)) return false;
  const { program, words } = command;
  const line = lineWith(command);
  const isSame = failed.steps.some((step) => step.command !== null && lineWith(step.command) === line);
  if (isSame) return false;
  if (FIXABLE.test(text) && FIXES.test(line)) return true;
  if (!isSure && REMEDIES.some(([error, remedy]) => error.test(text) && remedy.test(line))) return true;
  const [subcommand = ""] = words;
  if (isRecommended(`${program} ${subcommand}`.trim(), text)) return true;
  // To commit is no remedy for what another command says of the files.
  if (program === "git" && RECORDING.test(line) && !isOf("git", failed)) return false;
  // The error is about what it works on.
  const own = new Set(failed.steps.flatMap((step) => step.command?.words ?? []));
  const problem = tellingLines(text).join("\n") || text;
  if (words.some((word) => isDistinctive(word) && !own.has(word) && isWordIn(word, problem))) return true;
  if (!FILE_CHANGERS.test(line)) return false;
  const named = [...new Set(text.match(PATH_IN_TEXT))].map((path) => callPath(path, null));
  return pathsOf(purpose).some(
    (path) => !own.has(path.given) && named.some((file) => ["same", "inside"].includes(relatePaths(path, file) ?? "")),
  );
}

function namesProblem({ command, purpose }: Step, { text }: Clue): boolean {
  if (purpose.kind === "write") return true;
  const problem = tellingLines(text).join("\n") || text;
  return (
    command !== null &&
    command.words.some((word) => word.length > 2 && !word.startsWith("-") && isWordIn(word, problem))
  );
}

/** Matches commands of git that leave the files as they are. */
const RECORDING = /^git (?:add|commit|push|log|branch|tag|switch|checkout -[bB])\b/;

function isOf(program: string, { steps }: Target): boolean {
  return steps.some(({ command }) => command?.program === program);
}

function changesSomething({ command, purpose }: Step): boolean {
  if (command === null || purpose.kind !== "run" || onlyLooks(command)) return false;
  return purpose.code === null || command.program === "ssh";
}

type Command = NonNullable<Step["command"]>;

function lineWith({ program, words }: Command): string {
  // Without the machine that it runs on.
  const inner = program === "ssh" ? words.filter((word) => /\s/.test(word)) : [];
  return inner.length > 0 ? inner.join(" ") : [program, ...words].join(" ");
}

function onlyLooks(command: Command): boolean {
  const line = lineWith(command);
  return line === "" || LOOKS.test(line) || (CHECKS.test(line) && !FIXES.test(line));
}

/** Returns whether a text says to run a command. */
function isRecommended(command: string, text: string): boolean {
  const recommendation = String.raw`(?:\b(?:run|running|use|using|try|with|via|execute|call)\b[^\n]{0,40}?|[\x60"'])\b${asPattern(command)}(?![\w-])`;
  return /\s/.test(command) && new RegExp(recommendation, "i").test(text);
}

function isDistinctive(word: string): boolean {
  return word.length > 3 && /[./_:\d-]/.test(word) && !word.startsWith("-");
}

function isWordIn(word: string, text: string): boolean {
  return text.includes(word) && new RegExp(String.raw`(?<![\w-])${asPattern(word)}(?![\w-])`).test(text);
}

/**
 * Returns what changed in the call itself, as a diff; empty if that cannot have mattered: another tool succeeded, it is only
 * what is done with the output, the call did not bring the error about, or `steps` explain the success and the error refuses nothing of the call.
 */
export function changeOf(failed: Target, later: Target, steps: readonly ToolCall[], { text }: Clue): string {
  if (failed.tool !== later.tool || PASSING.test(text)) return "";
  const demanded = (name: string): boolean => MALFORMED.test(text) && isWordIn(name, text);
  const diff = inputDiff(failed, later, demanded);
  const [before, after] = [lineOf(failed), lineOf(later)];
  const names = changedNames(failed, later);
  const isManner = names.length > 0 && names.every((name) => MANNERS.has(name) && !isWordIn(name, text.toLowerCase()));
  const isShaped = isManner || (before !== null && before === after && !MALFORMED.test(text));
  if (diff === "" || isShaped || addsLooks(failed, later)) return "";
  if (steps.length === 0) return diff;
  const refusals = text
    .split("\n")
    .filter((line) => REFUSAL.test(line))
    .join("\n");
  const kept = new Set(wordsIn(later));
  return wordsIn(failed).some((word) => word.length > 1 && !kept.has(word) && isWordIn(word, refusals)) ? diff : "";
}

function changedNames(failed: Target, later: Target): string[] {
  return isFields(failed.input) && isFields(later.input) ? changedFields(failed.input, later.input) : [""];
}

/** Returns whether the later call only looks at something besides doing the same. */
function addsLooks(failed: Target, later: Target): boolean {
  const [before, after] = [lineOf(failed), lineOf(later)];
  if (before === null || after === null || before === "" || before === after || !after.includes(before)) return false;
  const [start = "", end = ""] = after.split(before);
  if (!/(?:^|[;&|]\s*)$/.test(start) || !/^(?:\s*[;&|]|$)/.test(end)) return false;
  const own = new Set(failed.steps.map(({ command }) => command && lineWith(command)));
  return (
    !/\b(?:cd|pushd|export|unset|source|set-location)\b|\w=/i.test(start) &&
    later.steps.every(({ command }) => command === null || own.has(lineWith(command)) || onlyLooks(command))
  );
}

/** Matches the refusal of an input, whose remarks may be demanded. */
const MALFORMED = /invalid arguments|InputValidationError|SchemaError|missing (?:key|required)|required parameter/i;
const REFUSAL =
  /unknown|unrecognized|unsupported|invalid|unexpected|no such|not found|(?:does|did)(?: not|n't) exist|not (?:a )?valid/i;

function wordsIn({ input }: Target): string[] {
  return asText(input).match(/[\w./@=-]+/g) ?? [];
}

/** Matches the time limit of a command. */
const TIME_LIMIT = /\s[-+]{0,2}(?:connect-|max-)?(?:timeout|time|wait)[= ]\d+\w*/g;
/** Matches what a command line does with the output of its commands. */
const OUTPUT_HANDLING =
  /\s*(?:[12]?>&\d|&>|[12]?>>?)\s*(?:\/dev\/null|\S+\.(?:log|txt))?|\s*\|\s*(?:head|tail|tee|cat|less|wc|grep|egrep|rg|sed|awk|sort|uniq|cut|tr|column|select-string|select-object|out-string)\b[^|;&]*|;\s*echo\b[^;|&]*/gi;

/** Returns the command line of a call without what only concerns its output; null for tools that run none. */
function lineOf({ line }: Target): string | null {
  return line === null
    ? null
    : line.replaceAll(OUTPUT_HANDLING, " ").replaceAll(TIME_LIMIT, " ").replaceAll(/\s+/g, " ").trim();
}
