/** Kinds of commands: those that only look or check, compile, install, or change files. */
import type { Step, Target } from "./targets.ts";

type Command = NonNullable<Step["command"]>;

export function changesSomething({ command, purpose }: Step): boolean {
  if (command === null || purpose.kind !== "run" || onlyLooks(command)) return false;
  return purpose.code === null || command.program === "ssh";
}

export function lineWith({ program, words }: Command): string {
  // Without the machine that it runs on.
  const inner = program === "ssh" ? words.filter((word) => /\s/.test(word)) : [];
  return inner.length > 0 ? inner.join(" ") : [program, ...words].join(" ");
}

export function onlyLooks(command: Command): boolean {
  const line = lineWith(command);
  return line === "" || LOOKS.test(line) || (CHECKS.test(line) && !FIXES.test(line));
}

/** Commands that only look or check. */
const LOOKS =
  /^(?:git config .*--(?:get|list|show-origin)|git (?:log|status|diff|show|blame|branch(?! -[dDmMcCf])|remote(?! (?:add|set-|remove|rm|rename|prune|update))|rev-parse|ls-files|grep)|(?:ls|cat|head|tail|which|whereis|type|find|grep|rg|wc|echo|pwd|env|ps|file|stat|tree|sed|awk|jq|sort|diff|test|sleep|netstat|lsof|ss|df|du|uname|id|whoami|dig|nslookup|ping)\b)|(?: |^)(?:--version|--help|-h|--dry-run|list|ls|view|info|show|status|diff|checks|logs?|current|tasks|doctor)(?: |$)/;
const CHECKS =
  /(?:^| )(?:\S*:)?(?:tests?|lint|check|typecheck|type-check|types|tsc|vitest|jest|pytest|mypy|pyright|clippy|vet|eslint|biome|ruff|flake8|rspec|phpunit|mocha|ava|playwright|credo|dialyzer|rubocop|stylelint|golangci-lint|staticcheck|markdownlint\S*|vale)(?:\.\w+)?(?: |$)/i;
export const FIXES = /(?:^| )(?:--fix|--write|-w|fmt|format|install|(?:\S*:)?(?:fmt|format|fix))(?: |$)/i;
/** Programs that change the files that their words name. */
export const FILE_CHANGERS =
  /^(?:rm|rmdir|mv|cp|mkdir|ln|touch|chmod|chown|install|unzip|tar|git (?:rm|mv|add|checkout|restore|reset|stash|clean))\b/;

/** Returns whether a command compiles or checks code without running it. */
export function isCompiled({ steps }: Target): boolean {
  return steps.some(({ command }) => command !== null && COMPILERS.test(lineWith(command)));
}

const COMPILERS =
  /(?:^| )(?:\S*:)?(?:typecheck|type-check|types|tsc|vet|build|check|compile|clippy|mypy|pyright|gcc|g\+\+|clang|javac|rustc)(?: |$)/i;

export const INSTALLS =
  /^install packages|^mix deps\.get|^bundle install|^(?:flutter|dart) pub get|^go mod (?:tidy|download)|^(?:pip3?|uv|poetry|composer|npm|pnpm|yarn|bun) (?:\S+ )*(?:install|sync|ci|update)\b/;

/** Matches commands of git that leave the files as they are. */
export const RECORDING = /^git (?:add|commit|push|log|branch|tag|switch|checkout -[bB])\b/;
