/** `transcripts completion` */
import type { OptionDefinition, RunCommand } from "../command.ts";
import { DEFINITIONS, GROUPS } from "../command-definitions.ts";

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

export const run: RunCommand = async (context, [shell, ...words]) => {
  if (shell !== "bash" && shell !== "zsh" && shell !== "fish") return 2;
  const lines = continuations(words).map(({ word, does }) => `${word}\t${does}\n`);
  await context.out(words.length === 0 ? SCRIPTS[shell] : lines.join(""));
  return 0;
};

interface Continuation {
  word: string;
  does: string;
}

/** Tells the script to complete file names. */
const FILES: Continuation = { word: ":", does: "" };
const HELP: Continuation = { word: "--help", does: "Prints this help." };

/** Returns the completions of the last word. */
function continuations(words: readonly string[]): Continuation[] {
  const current = words.at(-1) ?? "";
  const all = possibleAfter(words.slice(0, -1), current.startsWith("-"));
  return all.filter((each) => each === FILES || each.word.startsWith(current));
}

function possibleAfter(before: readonly string[], isOption: boolean): Continuation[] {
  const [first, second] = before;
  const commands = new Map(
    DEFINITIONS.map(({ name, does }) => {
      const [word = ""] = name.split(" ");
      return [word, { word, does: GROUPS[word] ?? does }];
    }),
  );
  if (first === undefined)
    return [...commands.values(), ...["help", "--help", "--version"].map((word) => ({ word, does: "" }))];
  if (first === "help") return [...commands.values()];
  const group = DEFINITIONS.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0 && second === undefined)
    return [...group.map(({ name, does }) => ({ word: name.slice(first.length + 1), does })), HELP];
  const definition = DEFINITIONS.find(({ name }) => name === (group.length > 0 ? `${first} ${second}` : first));
  if (definition === undefined) return [];
  const { options, arguments: args } = definition;
  const valued = options.find((option) => option.flags.includes("<") && namesOf(option).includes(before.at(-1) ?? ""));
  if (valued?.choices !== undefined) return valued.choices.map((word) => ({ word, does: "" }));
  if (valued !== undefined) return /<(file|path)>/.test(valued.flags) ? [FILES] : [];
  if (isOption)
    return [...options.flatMap((option) => namesOf(option).map((word) => ({ word, does: option.does }))), HELP];
  const known = args.flatMap(({ name, choices }) => choices ?? (name === "SESSION" ? ["latest"] : []));
  return [...known.map((word) => ({ word, does: "" })), FILES];
}

/** Returns the long name, such as `--json`, and the short one if there is one. */
function namesOf({ flags }: OptionDefinition): string[] {
  return flags.split(/[ ,]+/).filter((word) => word.startsWith("-"));
}
