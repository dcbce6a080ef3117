/** `transcripts completion` */
import { Argument, type CommandUnknownOpts, type Option } from "@commander-js/extra-typings";
import { createCommand, runnable, type RunnableCommand } from "../command.ts";

const definition = createCommand("completion", {
  examples: {
    "transcripts completion bash > ~/.local/share/bash-completion/completions/transcripts":
      "Installs completion for bash.",
    "transcripts completion zsh > ~/.zfunc/_transcripts": "Installs it for zsh, if ~/.zfunc is in fpath.",
    "transcripts completion fish > ~/.config/fish/completions/transcripts.fish": "Installs it for fish.",
  },
})
  .addArgument(new Argument("<SHELL>", "Shell to make the script for.").choices(["bash", "zsh", "fish"]))
  .argument("[WORD...]", "For the script: completes the last of these words.");

/** The scripts ask this command for completions, so they need not be installed again after an update. */
const SCRIPTS = {
  bash: `# bash completion for transcripts
_transcripts() {
  local current="\${COMP_WORDS[COMP_CWORD]}" word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [ "$word" = : ]; then
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
    else
      COMPREPLY+=("$word")
    fi
  done < <(transcripts completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o filenames -F _transcripts transcripts
`,
  zsh: `#compdef transcripts
_transcripts() {
  local -a found
  local word does
  while IFS=$'\\t' read -r word does; do
    if [[ $word == : ]]; then _files; else found+=("\${word//:/\\\\:}:$does"); fi
  done < <(transcripts completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe word found
}
if [ "$funcstack[1]" = "_transcripts" ]; then _transcripts "$@"; else compdef _transcripts transcripts; fi
`,
  fish: `# fish completion for transcripts
function __transcripts_words
  set -l words (commandline -opc)
  set -e words[1]
  for line in (transcripts completion fish -- $words (commandline -ct) 2>/dev/null)
    if string match -q ':*' -- $line
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c transcripts -f -a '(__transcripts_words)'
`,
} as const;

/** Returns the command that a command line begins with, or else all commands. */
type CommandsFor = (words: readonly string[]) => Promise<readonly { definition: CommandUnknownOpts }[]>;

export function completionOf(commandsFor: CommandsFor): { command: RunnableCommand } {
  const command = runnable(definition, async (context, [shell, words]) => {
    const lines = (await continuations(words, commandsFor)).map(({ word, does }) => `${word}\t${does}\n`);
    await context.out(words.length === 0 ? SCRIPTS[shell] : lines.join(""));
    return 0;
  });
  return { command };
}

interface Continuation {
  word: string;
  does: string;
}

/** Tells the script to complete file names. */
const FILES: Continuation = { word: ":", does: "" };
const HELP: Continuation = { word: "--help", does: "Prints this help." };

/** Returns the completions of the last word. */
async function continuations(words: readonly string[], commandsFor: CommandsFor): Promise<Continuation[]> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const commands = (await commandsFor(before)).map(({ definition }) => definition);
  const all = possibleAfter(before, commands, current.startsWith("-"));
  return all.filter((each) => each === FILES || each.word.startsWith(current));
}

function possibleAfter(
  before: readonly string[],
  commands: readonly CommandUnknownOpts[],
  isOption: boolean,
): Continuation[] {
  const [first, second] = before;
  const own = commands.map(continuationOf);
  if (first === undefined) return [...own, ...["help", "--help", "--version"].map((word) => ({ word, does: "" }))];
  if (first === "help") return own;
  const named = commands.find((command) => command.name() === first);
  if (named === undefined) return [];
  if (named.commands.length === 0) return possibleIn(named, before, isOption);
  if (second === undefined) return [...named.commands.map(continuationOf), HELP];
  const inner = named.commands.find((command) => command.name() === second);
  return inner === undefined ? [] : possibleIn(inner, before, isOption);
}

function continuationOf(command: CommandUnknownOpts): Continuation {
  return { word: command.name(), does: command.summary() };
}

/** Returns the words after those of a command. */
function possibleIn(
  { options, registeredArguments: args }: CommandUnknownOpts,
  before: readonly string[],
  isOption: boolean,
): Continuation[] {
  const valued = options.find((option) => option.required && namesOf(option).includes(before.at(-1) ?? ""));
  if (valued?.argChoices !== undefined) return valued.argChoices.map((word) => ({ word, does: "" }));
  if (valued !== undefined) return /<(file|path)>/.test(valued.flags) ? [FILES] : [];
  if (isOption)
    return [...options.flatMap((option) => namesOf(option).map((word) => ({ word, does: option.description }))), HELP];
  const known = args.flatMap((arg) => arg.argChoices ?? (arg.name() === "SESSION" ? ["latest"] : []));
  return [...known.map((word) => ({ word, does: "" })), FILES];
}

/** Returns the long name, such as `--json`, and the short one if there is one. */
function namesOf({ long, short }: Option): string[] {
  return [short, long].filter((name) => name !== undefined);
}
