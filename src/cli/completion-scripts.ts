/**
 * Completion scripts, made from the definitions: commands, options, the values of options that have a choice, `latest`
 * where a session is expected, and files.
 */
import type { ArgumentDefinition, CommandDefinition, OptionDefinition } from "./command.ts";
import { GROUPS } from "./definitions.ts";

type Definitions = readonly CommandDefinition[];

/** A group's commands by their second word. */
function groupsOf(definitions: Definitions): Map<string, { word: string; does: string }[]> {
  const inGroups = definitions.filter(({ name }) => name.includes(" "));
  return new Map(
    [...Map.groupBy(inGroups, ({ name }) => name.split(" ")[0] ?? "")].map(([group, commands]) => [
      group,
      commands.map(({ name, does }) => ({ word: name.slice(group.length + 1), does })),
    ]),
  );
}

/** What may be the first word, in the order of the help. */
function firstWords(definitions: Definitions): { word: string; does: string }[] {
  const words = definitions.map(({ name, does }) => {
    const [word = ""] = name.split(" ");
    return { word, does: word === name ? does : (GROUPS[word] ?? "") };
  });
  return words.filter(({ word }, at) => words.findIndex((each) => each.word === word) === at);
}

/** `--json`, and `-f` where there is one. */
function namesOf({ flags }: OptionDefinition): string[] {
  return flags.split(/[ ,]+/).filter((word) => word.startsWith("-"));
}

function takesValue({ flags }: OptionDefinition): boolean {
  return flags.includes("<");
}

function takesFile({ flags }: OptionDefinition): boolean {
  return /<(file|path)>/.test(flags);
}

/** What may stand as an argument, besides files. */
function wordsFor(argument: ArgumentDefinition): readonly string[] {
  return argument.choices ?? (argument.name === "SESSION" ? ["latest"] : []);
}

export function bashScript(definitions: Definitions): string {
  const cases = definitions.map((definition) => {
    const options = definition.options.flatMap(namesOf).join(" ");
    const words = definition.arguments.flatMap(wordsFor).join(" ");
    return `    "${definition.name}") options="${options} --help" words="${words}" ;;`;
  });
  const values = definitions.flatMap(({ name, options }) =>
    options
      .filter(({ choices }) => choices)
      .map((option) => bashValue(name, namesOf(option), option.choices?.join(" ") ?? "")),
  );
  const free = definitions.flatMap(({ name, options }) =>
    options
      .filter((option) => takesValue(option) && !option.choices)
      .map(
        (option) =>
          bashPattern(name, namesOf(option)) +
          (takesFile(option) ? ') COMPREPLY=($(compgen -f -- "$current")); return ;;' : ") return ;;"),
      ),
  );
  const names = firstWords(definitions).map(({ word }) => word);
  const groups = [...groupsOf(definitions)].map(
    ([group, commands]) => `    ${group})
      if [ "$COMP_CWORD" -eq 2 ]; then
        COMPREPLY=($(compgen -W "${commands.map(({ word }) => word).join(" ")} --help" -- "$current"))
        return
      fi
      command="$command \${COMP_WORDS[2]}" ;;`,
  );
  return `# bash completion for transcripts
_transcripts() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  local options="" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names.join(" ")} help --help --version" -- "$current"))
    return
  fi
  case "$command" in
${groups.join("\n")}
  esac
  case "$command $previous" in
${[...values, ...free].join("\n")}
  esac
  case "$command" in
${cases.join("\n")}
    help) words="${names.join(" ")}" ;;
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _transcripts transcripts
`;
}

function bashPattern(command: string, names: readonly string[]): string {
  return `    ${names.map((name) => `"${command} ${name}"`).join("|")}`;
}

function bashValue(command: string, names: readonly string[], choices: string): string {
  return `${bashPattern(command, names)}) COMPREPLY=($(compgen -W "${choices}" -- "$current")); return ;;`;
}

export function zshScript(definitions: Definitions): string {
  const commands = firstWords(definitions).map(({ word, does }) => `    ${zshQuoted(`${word}:${does}`)}`);
  const groups = [...groupsOf(definitions)].map(([group, inner]) => {
    const words = inner.map(({ word, does }) => `        ${zshQuoted(`${word}:${does}`)}`);
    return `    ${group})
      local -a inner=(
${words.join("\n")}
      )
      if (( CURRENT == 2 )); then
        _describe command inner
        return
      fi
      command="$command $words[2]"
      shift words
      (( CURRENT-- ))
      ;;`;
  });
  const cases = definitions.map(({ name, options, arguments: args }) => {
    const specs = [...options.flatMap(zshOption), "'--help[Prints this help.]'", ...args.map(zshArgument)];
    return `    "${name}")\n      _arguments ${specs.join(" \\\n        ")}\n      ;;`;
  });
  return `#compdef transcripts
_transcripts() {
  local -a commands=(
${commands.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${groups.join("\n")}
  esac
  case $command in
${cases.join("\n")}
    help) _describe command commands ;;
  esac
}
if [ "$funcstack[1]" = "_transcripts" ]; then _transcripts "$@"; else compdef _transcripts transcripts; fi
`;
}

function zshOption(option: OptionDefinition): string[] {
  const choices = option.choices ? `(${option.choices.join(" ")})` : "";
  const value = takesValue(option) ? `:value:${takesFile(option) ? "_files" : choices}` : "";
  return namesOf(option).map((name) => zshQuoted(`${name}[${option.does.replace(/[[\]:]/g, "\\$&")}]${value}`));
}

function zshArgument(argument: ArgumentDefinition): string {
  const place = argument.variadic ? "*" : argument.required ? "" : ":";
  const words = wordsFor(argument);
  const action = argument.choices
    ? `(${words.join(" ")})`
    : argument.name === "SESSION"
      ? "{compadd latest; _files}"
      : "";
  return zshQuoted(`${place}:${argument.name}:${action}`);
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function fishScript(definitions: Definitions): string {
  const first = firstWords(definitions).map(
    ({ word, does }) => `complete -c transcripts -n __fish_use_subcommand -f -a ${word} -d ${fishQuoted(does)}`,
  );
  const second = [...groupsOf(definitions)].flatMap(([group, inner]) => {
    const all = inner.map(({ word }) => word).join(" ");
    const open = `-n '__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${all}'`;
    return inner.map(({ word, does }) => `complete -c transcripts ${open} -f -a ${word} -d ${fishQuoted(does)}`);
  });
  const lines = definitions.flatMap(({ name, options, arguments: args }) => {
    const seen = name.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
    const used = `-n '${seen.join("; and ")}'`;
    const words = args.flatMap(wordsFor).join(" ");
    return [
      ...options.map((option) => `complete -c transcripts ${used} ${fishOption(option)}`),
      ...(words === "" ? [] : [`complete -c transcripts ${used} -a '${words}'`]),
    ];
  });
  return `# fish completion for transcripts\n${[...first, ...second, ...lines].join("\n")}\n`;
}

function fishOption(option: OptionDefinition): string {
  const names = namesOf(option).map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value = option.choices
    ? ` -x -a '${option.choices.join(" ")}'`
    : takesFile(option)
      ? " -r -F"
      : takesValue(option)
        ? " -x"
        : "";
  return `${names.join(" ")}${value} -d ${fishQuoted(option.does)}`;
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
