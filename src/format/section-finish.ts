/** Turns a section taken apart into its entry, with what other sections and files have to give. */
import type { TranscriptEntry, TranscriptProblem } from "./entries.ts";
import { isString, isTranscriptEntry, whyNoEntry } from "./entry-guards.ts";
import type { JsonObject } from "./entry-guards.ts";
import type { OutputFile, SectionDraft } from "./markdown-decode.ts";
import { decodeOutputFile } from "./output-text.ts";
import { PendingInputs } from "./pending-inputs.ts";
import { resolveReferences } from "./references.ts";

/** Gives the text of an output file by its path relative to the transcripts folder; undefined if there is none. */
export type ReadOutput = (path: string) => Promise<string | undefined>;

export interface FinishedSection {
  entry?: TranscriptEntry;
  problems: Pick<TranscriptProblem, "code" | "message">[];
}

/** Fields that stand in the comment with references to the section's texts. A call's input stands in its body. */
const WITH_REFERENCES = { user: ["parts"], tool_result: ["input", "metadata"], session_event: ["told"] };

export class SectionFinisher {
  readonly #pending = new PendingInputs();
  readonly #readOutput: ReadOutput | undefined;

  constructor(readOutput: ReadOutput | undefined) {
    this.#readOutput = readOutput;
  }

  /** Sections must come in file order. */
  async finish({ fields, texts, outputFile, sameInput, damage }: SectionDraft): Promise<FinishedSection> {
    const problems: FinishedSection["problems"] = [];
    if (outputFile !== undefined) {
      const missing = await this.#fillOutput(fields, texts, outputFile, damage);
      if (missing !== undefined) problems.push({ code: "missing_output", message: missing });
    }
    resolveFields(fields, texts, damage, outputFile === undefined || fields["outputMissing"] === undefined);
    const call = callOf(fields);
    // What replaces a result has an input of its own; the call of that id that waits for a result may be another one.
    if (call !== undefined && fields["type"] === "tool_result" && fields["continues"] === undefined) {
      const known = this.#pending.take(call);
      if (sameInput) {
        if (known === undefined)
          damage.push("it says that its input is that of its call, but no such call stands before it");
        fields["input"] = known?.input ?? null;
      }
    }
    if (!isTranscriptEntry(fields)) {
      problems.push({
        code: "damaged_entry",
        message: `Entry left out: ${[...damage, whyNoEntry(fields)].join("; ")}.`,
      });
      return { problems };
    }
    if (fields.type === "tool_use") this.#pending.add({ callID: fields.callID, partID: fields.partID }, fields.input);
    if (damage.length > 0) {
      const what = damage.join("; ");
      problems.push({
        code: "damaged_entry",
        message: `This entry may not be as it was recorded: ${what}. Was it edited by hand?`,
      });
    }
    return { entry: fields, problems };
  }

  /** Puts the whole output in place. If it cannot be had, says why; `output` then stays the beginning. */
  async #fillOutput(
    fields: JsonObject,
    texts: Map<string, string>,
    file: OutputFile,
    damage: string[],
  ): Promise<string | undefined> {
    const found = await this.#outputText(file.path);
    if (found.text === undefined) {
      fields["outputMissing"] = file.path;
      return `The whole output should be in ${file.path}, but ${found.why}. Only its beginning is known.`;
    }
    const text = decodeOutputFile(found.text, file.escaped);
    if (file.chars !== undefined && file.chars !== text.length) {
      damage.push(`${file.path} holds ${text.length} characters, but ${file.chars} were written`);
    }
    fields["output"] = text;
    if (file.json) fields["output"] = parseOutput(text, damage);
    else texts.set("output", text);
    return undefined;
  }

  async #outputText(path: string): Promise<{ text: string | undefined; why: string }> {
    if (this.#readOutput === undefined) return { text: undefined, why: "the reader was given no way to read it" };
    try {
      return { text: await this.#readOutput(path), why: "there is no such file" };
    } catch (error) {
      return {
        text: undefined,
        why: `reading it failed (${error instanceof Error ? error.message : String(error)})`,
      };
    }
  }
}

function parseOutput(text: string, damage: string[]): unknown {
  try {
    return JSON.parse(text);
  } catch {
    damage.push("the JSON in its output file does not parse");
    return text;
  }
}

function resolveFields(
  fields: JsonObject,
  texts: ReadonlyMap<string, string>,
  damage: string[],
  outputIsWhole: boolean,
): void {
  let misses = 0;
  const type = fields["type"];
  const hasReferences = type === "user" || type === "tool_result" || type === "session_event";
  for (const name of hasReferences ? WITH_REFERENCES[type] : []) {
    if (fields[name] === undefined) continue;
    try {
      fields[name] = resolveReferences(fields[name], texts, () => (misses += 1));
    } catch {
      damage.push(`its ${name} is nested too deeply`);
    }
  }
  // Data of an event that its text tells a person: in the comment it has a name of its own, without a fence.
  if (type === "session_event" && "told" in fields) {
    fields["data"] = fields["told"];
    delete fields["told"];
  }
  if (misses > 0 && outputIsWhole) damage.push("its comment refers to text that is not there");
}

function callOf(fields: JsonObject): { callID: string; partID: string | undefined } | undefined {
  const { callID, partID } = fields;
  return isString(callID) ? { callID, partID: isString(partID) ? partID : undefined } : undefined;
}
