/**
 * Shell command lines, as far as it takes to know which programs they run on what. Not a shell: expansions stay as
 * they are written, compound commands are taken for the commands in them, and what cannot be understood is a word.
 */

export interface ShellWord {
  /** Without quotes. */
  text: string;
  quoted: boolean;
}

/** One program with its words. */
export interface ShellStage {
  words: ShellWord[];
  /** The file that the output is written to. */
  output: string | null;
  /** What a heredoc or here-string feeds it. */
  fed: string | null;
}

export interface ShellPipeline {
  stages: ShellStage[];
  /** What stands between this pipeline and the next. */
  next: "&&" | "||" | ";" | "&" | null;
}

/** Longer command lines are read up to here; what follows is as good as always the body of a heredoc. */
const MAX_LENGTH = 65_536;

export function parseShell(command: string): ShellPipeline[] {
  return new ShellReader(command.slice(0, MAX_LENGTH)).read();
}

const emptyStage = (): ShellStage => ({ words: [], output: null, fed: null });
/** A redirection with the file descriptor before it, and the duplication of a descriptor, which names no file. */
const DUPLICATION = /[0-9&]?>>?&[0-9-]|[0-9]?<&[0-9-]/y;
const REDIRECTION = /(?:[0-9]?(?:<<-?|<<<|<>|>>|>\||<|>)|&>>?)/y;
const OPERATOR = /&&|\|\||\|&|;;|[;|&()\n]/y;

class ShellReader {
  readonly #text: string;
  #at = 0;
  #pipelines: ShellPipeline[] = [];
  #stages: ShellStage[] = [];
  #stage = emptyStage();
  /** Heredocs whose bodies begin after the line. */
  #awaited: { end: string; stage: ShellStage }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): ShellPipeline[] {
    while (this.#at < this.#text.length) this.#step();
    this.#endPipeline(null);
    return this.#pipelines;
  }

  #step(): void {
    const char = this.#text.charAt(this.#at);
    if (char === " " || char === "\t" || char === "\r") this.#at += 1;
    else if (char === "\\" && this.#text.charAt(this.#at + 1) === "\n") this.#at += 2;
    else if (char === "#") this.#skipLine();
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
    const { words, output, fed } = this.#stage;
    if (words.length > 0 || output !== null || fed !== null) this.#stages.push(this.#stage);
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
      } else if (char === "`" || (char === "$" && this.#text.charAt(this.#at + 1) === "(")) {
        text += this.#substitution();
      } else if (char === "\\") {
        text += this.#text.charAt(this.#at + 1);
        this.#at += 2;
      } else if (" \t\r\n;|&<>()".includes(char)) break;
      else {
        text += char;
        this.#at += 1;
      }
    }
    // A sign that begins no operator and no word must still be passed.
    if (this.#at === start) this.#at += 1;
    return { text, quoted };
  }

  #quotedText(quote: string): string {
    let text = "";
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      this.#at += 1;
      if (char === quote) break;
      if (char === "\\" && quote === '"') {
        const next = this.#text.charAt(this.#at);
        text += '"\\$`'.includes(next) ? next : `\\${next}`;
        this.#at += 1;
      } else if (char === "$" && quote === '"' && this.#text.charAt(this.#at) === "(") {
        this.#at -= 1;
        text += this.#substitution();
      } else text += char;
    }
    return text;
  }

  /** `$(…)` or backticks as they are written. Quotes within are not looked at but for their brackets. */
  #substitution(): string {
    const start = this.#at;
    if (this.#text.charAt(this.#at) === "`") {
      const end = this.#text.indexOf("`", this.#at + 1);
      this.#at = end < 0 ? this.#text.length : end + 1;
      return this.#text.slice(start, this.#at);
    }
    let depth = 0;
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      this.#at += 1;
      if (char === "(") depth += 1;
      else if (char === ")" && --depth === 0) break;
    }
    return this.#text.slice(start, this.#at);
  }
}
