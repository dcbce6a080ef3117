/**
 * Parses shell command lines into the programs that they run and their arguments. Not a full shell parser: expansions are
 * left as written, compound commands are reduced to the commands in them, and anything else is a word.
 */

export interface ShellWord {
  /** Text without quotes. */
  text: string;
  quoted: boolean;
}

/** Program with its words. */
export interface ShellStage {
  /** As written, with its redirections. */
  text: string;
  words: ShellWord[];
  /** File that the output is written to. */
  output: string | null;
  /** Input from a heredoc or here-string. */
  fed: string | null;
  /** Commands in its `$(…)`, `<(…)` and backticks. */
  substitutions: ShellPipeline[];
}

export interface ShellPipeline {
  stages: ShellStage[];
  /** Operator between this pipeline and the next. */
  next: "&&" | "||" | ";" | "&" | null;
}

/** Maximum length parsed; the rest of a longer line is almost always the body of a heredoc. */
const MAX_LENGTH = 200_000;
/** Maximum nesting of substitutions; deeper ones are skipped. */
const MAX_DEPTH = 6;

export function parseShell(command: string): ShellPipeline[] {
  return new ShellReader(command.slice(0, MAX_LENGTH), 0, 0).read().pipelines;
}

const emptyStage = (): ShellStage => ({ text: "", words: [], output: null, fed: null, substitutions: [] });
/** Matches a redirection with its file descriptor, and the duplication of a descriptor, which has no file. */
const DUPLICATION = /[0-9&]?>>?&[0-9-]|[0-9]?<&[0-9-]/y;
const REDIRECTION = /(?:[0-9]?(?:<<-?|<<<|<>|>>|>\||<|>)|&>>?)/y;
const OPERATOR = /&&|\|\||\|&|;;|[;|&()\n]/y;
/** Within double quotes, a backslash escapes only these. */
const QUOTABLE = '"\\$`';

class ShellReader {
  readonly #text: string;
  readonly #depth: number;
  #at: number;
  /** Number of brackets opened since the start. */
  #brackets = 0;
  #pipelines: ShellPipeline[] = [];
  #stages: ShellStage[] = [];
  #stage = emptyStage();
  /** Where the stage begins and ends. */
  #span: { start: number; end: number } | undefined;
  /** Heredocs whose bodies begin after the line. */
  #awaited: { end: string; stage: ShellStage }[] = [];

  constructor(text: string, at: number, depth: number) {
    this.#text = text;
    this.#at = at;
    this.#depth = depth;
  }

  /** Parses to the end, or for a substitution to its closing bracket. */
  read(closed = false): { pipelines: ShellPipeline[]; end: number } {
    while (this.#at < this.#text.length) {
      if (closed && this.#brackets === 0 && this.#text.charAt(this.#at) === ")") break;
      this.#step();
    }
    this.#endPipeline(null);
    return { pipelines: this.#pipelines, end: this.#at };
  }

  #step(): void {
    const start = this.#at;
    const stage = this.#stage;
    this.#read();
    const isPart = stage === this.#stage && !/^[\s#]/.test(this.#text.charAt(start));
    if (isPart) this.#span = { start: this.#span?.start ?? start, end: this.#at };
  }

  #read(): void {
    const char = this.#text.charAt(this.#at);
    if (char === " " || char === "\t" || char === "\r") this.#at += 1;
    else if (char === "\\" && this.#text.charAt(this.#at + 1) === "\n") this.#at += 2;
    else if (char === "#") this.#skipLine();
    else if (this.#isSubstitution(char)) this.#stage.words.push(this.#word());
    else if (this.#take(DUPLICATION) === null && !this.#redirect() && !this.#operate()) {
      this.#stage.words.push(this.#word());
    }
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }

  #skipLine(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #redirect(): boolean {
    const sign = this.#take(REDIRECTION);
    if (sign === null) return false;
    while (this.#text.charAt(this.#at) === " ") this.#at += 1;
    const operand = this.#word().text;
    if (sign.includes("<<<")) this.#stage.fed = operand;
    else if (sign.includes("<<")) this.#awaited.push({ end: operand, stage: this.#stage });
    else if (sign.includes(">") && !sign.startsWith("2") && operand !== "/dev/null") this.#stage.output = operand;
    return true;
  }

  #operate(): boolean {
    const sign = this.#take(OPERATOR);
    if (sign === null) return false;
    if (sign === "(") this.#brackets += 1;
    if (sign === ")") this.#brackets -= 1;
    if (sign === "|" || sign === "|&") this.#endStage();
    else this.#endPipeline(sign === "&&" || sign === "||" || sign === "&" ? sign : ";");
    if (sign === "\n") this.#readBodies();
    return true;
  }

  #readBodies(): void {
    for (const { end, stage } of this.#awaited) {
      const lines: string[] = [];
      while (this.#at < this.#text.length) {
        const newline = this.#text.indexOf("\n", this.#at);
        const line = this.#text.slice(this.#at, newline < 0 ? undefined : newline);
        this.#at = newline < 0 ? this.#text.length : newline + 1;
        if (line.trim() === end) break;
        lines.push(line);
      }
      stage.fed = lines.join("\n");
    }
    this.#awaited = [];
  }

  #endStage(): void {
    this.#stage.text = this.#text.slice(this.#span?.start ?? 0, this.#span?.end ?? 0);
    this.#span = undefined;
    const { words, output, fed, substitutions } = this.#stage;
    if (words.length > 0 || output !== null || fed !== null || substitutions.length > 0) this.#stages.push(this.#stage);
    else if (this.#awaited.some(({ stage }) => stage === this.#stage)) this.#stages.push(this.#stage);
    this.#stage = emptyStage();
  }

  #endPipeline(next: ShellPipeline["next"]): void {
    this.#endStage();
    if (this.#stages.length > 0) this.#pipelines.push({ stages: this.#stages, next });
    this.#stages = [];
  }

  #word(): ShellWord {
    let text = "";
    let quoted = false;
    const start = this.#at;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (char === "'" || char === '"') {
        quoted = true;
        text += this.#quotedText(char);
      } else if (this.#isSubstitution(char)) text += this.#substitution(char);
      else if (char === "$" && this.#text.charAt(this.#at + 1) === "'") {
        quoted = true;
        this.#at += 1;
        text += this.#quotedText("$'");
      } else if (char === "\\") text += this.#escaped();
      else if (" \t\r\n;|&<>()".includes(char)) break;
      else {
        text += char;
        this.#at += 1;
      }
    }
    // Skips a character that begins neither an operator nor a word.
    if (this.#at === start) this.#at += 1;
    return { text, quoted };
  }

  /** Keeps the backslash before a letter or digit, as in a Windows path. */
  #escaped(): string {
    const next = this.#text.charAt(this.#at + 1);
    this.#at += 2;
    return next === "\n" ? "" : /\w/.test(next) ? `\\${next}` : next;
  }

  #quotedText(quote: "'" | '"' | "$'"): string {
    let text = "";
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (char === quote.at(-1)) {
        this.#at += 1;
        break;
      }
      if (char === "\\" && quote !== "'") {
        const next = this.#text.charAt(this.#at + 1);
        const taken = quote === '"' ? QUOTABLE : "'\\";
        text += taken.includes(next) ? next : next === "\n" ? "" : `\\${next}`;
        this.#at += 2;
      } else if (quote === '"' && char !== "<" && char !== ">" && this.#isSubstitution(char)) {
        text += this.#substitution(char);
      } else {
        text += char;
        this.#at += 1;
      }
    }
    return text;
  }

  #isSubstitution(char: string): boolean {
    // A single backtick continues a line in PowerShell.
    if (char === "`") return this.#text.includes("`", this.#at + 1);
    return (char === "$" || char === "<" || char === ">") && this.#text.charAt(this.#at + 1) === "(";
  }

  /** Returns `$(…)`, `<(…)` or backticks as written, and collects the commands in them. */
  #substitution(char: string): string {
    const start = this.#at;
    if (char === "`") {
      const end = this.#text.indexOf("`", start + 1);
      if (this.#depth < MAX_DEPTH) this.#keep(new ShellReader(this.#text.slice(start + 1, end), 0, this.#depth + 1));
      this.#at = end + 1;
    } else if (this.#depth >= MAX_DEPTH || this.#text.startsWith("$((", start)) this.#skipBrackets();
    else this.#at = this.#keep(new ShellReader(this.#text, start + 2, this.#depth + 1)) + 1;
    return this.#text.slice(start, this.#at);
  }

  #keep(inner: ShellReader): number {
    const { pipelines, end } = inner.read(true);
    for (const pipeline of pipelines) this.#stage.substitutions.push(pipeline);
    return end;
  }

  #skipBrackets(): void {
    let depth = 0;
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      this.#at += 1;
      if (char === "(") depth += 1;
      else if (char === ")" && --depth === 0) break;
    }
  }
}

/** Quotes any text as one word for a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns a text as one word of a POSIX shell, quoted if it must be. */
export function shellWord(text: string): string {
  return /^[\w./@:+-]+$/.test(text) && !text.startsWith("-") ? text : shellQuoted(text);
}

/** Returns a command as one line: it is one, or a list of words such as `["bash", "-lc", "…"]`; null for anything else. */
export function commandLine(command: unknown): string | null {
  if (typeof command === "string") return command;
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return null;
  // A single word may be a line.
  return command.length === 1 ? (command[0] ?? "") : command.map(plainWord).join(" ");
}

function plainWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word);
}
