/**
 * The commands in a line for a POSIX shell, as far as it takes to tell which programs it runs: quotes, substitutions,
 * here-documents and scripts that are handed to another shell. What is no shell at all gives some words or none.
 */

/** The words of one command: its assignments, its program, its arguments. Quotes are taken off. */
export type ShellCommand = readonly string[];

/** A longer line is no command, and what stands deeper is not looked into. */
const MAX_CHARS = 200_000;
const MAX_DEPTH = 6;
/** Substitutions are asked for what program they name: `"$(which transcripts)" find x`. */
const NAMES_PROGRAM = /^\s*(?:which|command\s+-v|type\s+-[pP]|realpath|readlink(?:\s+-f)?)\s+(\S{1,1000})\s*$/;

const SHELL = /(?:^|[/\\])(?:ba|z|k|da|a|fi)?sh$/;
/** `-c`, `-lc`, and as `script` and `su` have it, `-qc`. */
const SCRIPT_OPTION = /^-[a-zA-Z]*c$/;
/** Programs whose argument after `-c` is a script. */
const RUNS_SCRIPT = /(?:^|[/\\])(?:script|su|flock|parallel|runuser)$/;
/** Programs whose arguments together are a script. */
const RUNS_WORDS = /(?:^|[/\\])(?:eval|watch|ssh)$/;

/** All commands of the line, those of inner scripts and substitutions too. */
export function shellCommands(line: string): ShellCommand[] {
  const found: ShellCommand[] = [];
  if (line.length <= MAX_CHARS) new Script(line, 0, found).read();
  return found;
}

/** A command that is given as a list of words, and what it hands to another shell. */
export function commandsOfWords(words: ShellCommand): ShellCommand[] {
  const found: ShellCommand[] = [];
  take(words, undefined, 0, found);
  return found;
}

function take(words: ShellCommand, input: string | undefined, depth: number, found: ShellCommand[]): void {
  if (words.length === 0) return;
  found.push(words);
  if (depth >= MAX_DEPTH) return;
  for (const script of scriptsIn(words, input)) new Script(script, depth + 1, found).read();
}

function scriptsIn(words: ShellCommand, input: string | undefined): string[] {
  const at = words.findIndex((word) => SHELL.test(word) || RUNS_SCRIPT.test(word) || RUNS_WORDS.test(word));
  const program = words[at];
  if (program === undefined) return [];
  const rest = words.slice(at + 1);
  if (RUNS_WORDS.test(program)) return scriptsAfterOptions(rest, program.endsWith("ssh"));
  const option = rest.findIndex((word) => SCRIPT_OPTION.test(word));
  const script = option === -1 ? undefined : rest[option + 1];
  if (script !== undefined) return [script];
  return SHELL.test(program) && input !== undefined ? [input] : [];
}

/** Which options take a value is not known, so each place after options may be where the script begins. */
function scriptsAfterOptions(words: ShellCommand, hasHost: boolean): string[] {
  const first = words.findIndex((word) => !word.startsWith("-"));
  if (first === -1) return [];
  const from = first + (hasHost ? 1 : 0);
  const places = first === 0 ? [from] : [from, from + 1];
  return places.map((place) => words.slice(place).join(" ")).filter((script) => script !== "");
}

/** Reads a script once, from its start to its end. */
class Script {
  readonly #text: string;
  readonly #depth: number;
  readonly #found: ShellCommand[];
  #at = 0;
  #words: string[] = [];
  /** The word that is being read; undefined between words, for `''` is a word. */
  #word: string | undefined;
  /** Brackets that are open. */
  #brackets = 0;
  /** Ends of here-documents that begin on the next line. */
  #documents: { end: string; isIndented: boolean }[] = [];
  #input: string | undefined;

  constructor(text: string, depth: number, found: ShellCommand[], at = 0) {
    this.#text = text;
    this.#depth = depth;
    this.#found = found;
    this.#at = at;
  }

  /** To its end, or with `closed` to the bracket that closes it: the place of that. */
  read(closed = false): number {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] ?? "";
      if (closed && char === ")" && this.#brackets === 0) break;
      this.#step(char);
    }
    this.#endCommand();
    return this.#at;
  }

  #step(char: string): void {
    if (char === "\n") this.#endLine();
    else if (char === " " || char === "\t" || char === "\r") this.#endWord(1);
    else if (";&|(){}!".includes(char) && (!"{}!".includes(char) || this.#word === undefined)) this.#separate(char);
    else if (char === "#" && this.#word === undefined) this.#at = this.#lineEnd();
    else if (char === "<" && this.#text.startsWith("<<", this.#at) && this.#text[this.#at + 2] !== "<")
      this.#document();
    else if (char === "<" || char === ">") this.#redirection();
    else if (char === "'") this.#quoted();
    else if (char === '"') this.#doubleQuoted();
    else if (char === "\\") this.#escaped();
    else if (this.#isSubstitution(char)) this.#substitution(char);
    else this.#put(char, 1);
  }

  #put(text: string, length: number): void {
    this.#word = (this.#word ?? "") + text;
    this.#at += length;
  }

  #endWord(length: number): void {
    if (this.#word !== undefined) this.#words.push(this.#word);
    this.#word = undefined;
    this.#at += length;
  }

  #separate(char: string): void {
    if (char === "(") this.#brackets += 1;
    if (char === ")") this.#brackets -= 1;
    // Of a redirection: `2>&1`, `&>file`.
    if (char === "&" && (this.#text[this.#at - 1] === ">" || this.#text[this.#at + 1] === ">")) this.#at += 1;
    else {
      // `cat <<EOF | sh`: its text goes to the end of the pipe.
      if (char === "|" && this.#documents.length > 0) this.#endWord(0);
      else this.#endCommand();
      this.#at += 1;
    }
  }

  #endLine(): void {
    this.#at += 1;
    for (const { end, isIndented } of this.#documents.splice(0)) this.#input = this.#body(end, isIndented);
    this.#endCommand();
  }

  #endCommand(): void {
    this.#endWord(0);
    take(this.#words, this.#input, this.#depth, this.#found);
    this.#words = [];
    this.#input = undefined;
  }

  #lineEnd(): number {
    const end = this.#text.indexOf("\n", this.#at);
    return end === -1 ? this.#text.length : end;
  }

  #quoted(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    const close = end === -1 ? this.#text.length : end;
    this.#put(this.#text.slice(this.#at + 1, close), close + 1 - this.#at);
  }

  #doubleQuoted(): void {
    this.#put("", 1);
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"') {
      const char = this.#text[this.#at] ?? "";
      if (char === "\\") this.#escaped();
      else if (this.#isSubstitution(char)) this.#substitution(char);
      else this.#put(char, 1);
    }
    this.#at += 1;
  }

  /** Before a letter or a digit it stays: a path of Windows. */
  #escaped(): void {
    const next = this.#text[this.#at + 1] ?? "";
    this.#put(next === "\n" ? "" : /\w/.test(next) ? `\\${next}` : next, 2);
  }

  #isSubstitution(char: string): boolean {
    return this.#depth < MAX_DEPTH && (char === "`" || this.#text.startsWith("$(", this.#at));
  }

  /** Runs by itself; in the word it stands for the program that it names, if it does. */
  #substitution(char: string): void {
    const start = this.#at + (char === "`" ? 1 : 2);
    const end = char === "`" ? this.#ticked(start) : this.#inner(start, this.#text).read(true);
    this.#put(NAMES_PROGRAM.exec(this.#text.slice(start, Math.min(end, start + 1_100)))?.[1] ?? "", end + 1 - this.#at);
  }

  #ticked(start: number): number {
    const end = this.#text.indexOf("`", start);
    const close = end === -1 ? this.#text.length : end;
    this.#inner(0, this.#text.slice(start, close)).read();
    return close;
  }

  #inner(at: number, text: string): Script {
    return new Script(text, this.#depth + 1, this.#found, at);
  }

  /** The name of the file is no argument. */
  #redirection(): void {
    if (this.#word !== undefined && /^\d+$/.test(this.#word)) this.#word = undefined;
    this.#endWord(1);
    while (/[<>&|]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
    const target = /^[ \t]*[^\s;|&<>()]*/.exec(this.#text.slice(this.#at, this.#at + 4_096))?.[0] ?? "";
    this.#at += target.length;
  }

  /** `<<EOF`, `<<-'EOF'`: its text is data, and a script only where the program is a shell. */
  #document(): void {
    this.#endWord(0);
    const head = /^<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([^\s;|&<>()'"]+))/.exec(
      this.#text.slice(this.#at, this.#at + 400),
    );
    if (head === null) this.#at += 2;
    else {
      this.#documents.push({ end: head[2] ?? head[3] ?? head[4] ?? "", isIndented: head[1] === "-" });
      this.#at += head[0].length;
    }
  }

  #body(end: string, isIndented: boolean): string {
    const start = this.#at;
    while (this.#at < this.#text.length) {
      const stop = this.#lineEnd();
      const line = this.#text.slice(this.#at, stop);
      const lineStart = this.#at;
      this.#at = Math.min(stop + 1, this.#text.length);
      if ((isIndented ? line.replace(/^\t+/, "") : line).trimEnd() === end) return this.#text.slice(start, lineStart);
    }
    return this.#text.slice(start);
  }
}
