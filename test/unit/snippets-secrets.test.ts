import { existsSync, readFileSync } from "node:fs";
import { fileRef } from "../../src/sessions/file-ref.ts";
import { autoExtract } from "../../src/snippets/auto-extract.ts";
import { extractSnippet } from "../../src/snippets/extract-snippet.ts";
import type { ExtractSnippetInput } from "../../src/snippets/snippet-input.ts";
import { execute } from "../../src/tools/run-extract-snippet.ts";
import { labelledSets } from "../secrets/measure.ts";
import type { PositiveSample } from "../secrets/sample.ts";
import { madeSetting, type MadeSetting } from "../snippets/made-setting.ts";
import { calls, result, says, SESSION, user } from "../support/cli/claude-lines.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { afterAll, describe, isLong, test as timed } from "../support/runner.ts";
import { removeTempDirs } from "../support/temp-dir.ts";
import assert from "node:assert/strict";

afterAll(removeTempDirs);

/** Some hundred snippets each, on machines that are busy. */
const test = (name: string, body: () => void | Promise<void>): void => timed(name, body, 300_000);

// Those that stand whole, without a JSON key of their own that only a record would have.
type Sample = PositiveSample;
const SAMPLES: readonly Sample[] = labelledSets
  .flatMap(({ positives }) => positives)
  .filter(({ key, cut }) => key === undefined && cut !== true);
/** Every sample goes in as a text; of the other ways each takes its own quarter, as all lead to the same redactor. */
const ofWay = (way: number): readonly Sample[] => SAMPLES.filter((_, at) => isLong || at % 4 === way % 4);
const PADDING =
  " This was seen while the deployment was looked at, and it is kept so that the next person finds it at once.";

/** The database with all that belongs to it, byte for byte. */
function stored({ database }: MadeSetting): string {
  return [database, `${database}-wal`]
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}

const input = (rest: Partial<ExtractSnippetInput>): ExtractSnippetInput => ({
  session_id: SESSION,
  snippet_type: "learning_pattern",
  title: "What was seen",
  ...rest,
});

/** Shorter ones come up by chance among the bytes of a store. */
const WINDOW = 10;

/** Ten characters in a row of a secret, by the sample that alone has them: `sk-proj-` tells nothing. */
function telling(samples: readonly Sample[]): Map<string, Sample> {
  const owners = new Map<string, Sample | "many">();
  for (const sample of samples) {
    const { text, secrets } = sample;
    const secret = new Set(secrets.flatMap((each) => windowsOf(each)));
    for (const window of windowsOf(`${text}${PADDING}`)) {
      const owner = owners.get(window);
      if (!secret.has(window)) owners.set(window, "many");
      else if (owner !== sample) owners.set(window, owner === undefined ? sample : "many");
    }
  }
  return new Map([...owners].flatMap(([window, owner]) => (owner === "many" ? [] : [[window, owner] as const])));
}

function windowsOf(text: string): string[] {
  const windows = Array.from({ length: Math.max(0, text.length - WINDOW + 1) }, (_, at) => text.slice(at, at + WINDOW));
  return windows.filter((window) => !/[\s"\\]/.test(window));
}

/** Samples of which a part is left. */
function leaksIn(bytes: string, samples: readonly Sample[]): string[] {
  const wanted = telling(samples);
  assert.ok(wanted.size > 10 * samples.length, "there is too little to look for");
  const found = new Map<Sample, string>();
  for (let at = 0; at + WINDOW <= bytes.length; at++) {
    const owner = wanted.get(bytes.slice(at, at + WINDOW));
    if (owner !== undefined && !found.has(owner)) found.set(owner, bytes.slice(Math.max(0, at - 40), at + WINDOW + 40));
  }
  return [...found].map(([{ kind, text }, where]) => `${kind}: ${text.slice(0, 80)}\n    in ${JSON.stringify(where)}`);
}

/** Sends each sample through one way, and looks for its secrets in the bytes. */
async function check(
  made: MadeSetting,
  send: (text: string, at: number) => Promise<unknown>,
  samples: readonly Sample[] = SAMPLES,
): Promise<void> {
  try {
    for (const [at, { text }] of samples.entries()) await send(text, at);
    const bytes = stored(made);
    assert.ok(bytes.includes("REDACTED"), "nothing was redacted: this test looks at the wrong file");
    assert.deepEqual(leaksIn(bytes, samples), []);
  } finally {
    await made.store.close();
  }
}

test("the search finds what is left", () => {
  const [first] = SAMPLES;
  assert.ok(first);
  const secret = first.secrets[0] ?? "";
  assert.equal(leaksIn(`xx${secret.slice(-12)}yy`, SAMPLES).length, 1);
});

describe("no secret reaches the database", () => {
  test("as a given text", async () => {
    const made = await madeSetting();
    await check(made, (text) => extractSnippet(made, input({ content: `${PADDING}\n${text}` })));
  });

  test("as a title, in short", async () => {
    const made = await madeSetting();
    const short = ofWay(0).filter(({ text }) => text.length <= 200);
    await check(
      made,
      (title, at) => extractSnippet(made, input({ title, content: `${at}${PADDING}` })).catch(ignoreTooLong),
      short,
    );
  });

  test("as a tag", async () => {
    const made = await madeSetting();
    const short = ofWay(1).filter(({ text }) => text.length <= 100);
    await check(
      made,
      (tag, at) => extractSnippet(made, input({ tags: [tag, "b"], content: `${at}${PADDING}` })).catch(ignoreTooLong),
      short,
    );
  });

  test("in metadata", async () => {
    const made = await madeSetting();
    await check(
      made,
      (text, at) =>
        extractSnippet(made, input({ metadata: { seen: text, deep: [{ text }] }, content: `${at}${PADDING}` })),
      ofWay(2),
    );
  });

  test("by a range of lines, and by a range of turns, said and done", async () => {
    const samples = ofWay(3);
    const session = samples
      .map(
        ({ text }, at) =>
          user(`${at}${PADDING}\n${text}`, at) +
          calls("Bash", `t${at}`, { command: `echo ${at}`, env: text }, at) +
          result(`t${at}`, text, at) +
          says(`It says ${text}`, at),
      )
      .join("");
    const made = await madeSetting(session);
    await check(
      made,
      async (_, at) => {
        const first = 4 * at + 1;
        await extractSnippet(made, input({ source_line_start: first, source_line_end: first + 3 }));
        if (at % 7 === 0) await extractSnippet(made, input({ source_turn_start: at + 1 }));
      },
      samples,
    );
  });

  test("where a text is cut at 10 KB", async () => {
    // Those that end with a secret have one that was cut there: more text after it makes it none.
    const samples = ofWay(1).filter(({ text, secrets }) => !secrets.some((secret) => text.endsWith(secret)));
    const session = samples
      .map(({ text }, at) => user(`${"word ".repeat(2_040).slice(0, 10_150 - text.length / 2)}\n${text}\nEnd.`, at))
      .join("");
    const made = await madeSetting(session);
    await check(made, (_, at) => extractSnippet(made, input({ source_line_start: at + 1, title: `${at}` })), samples);
  });

  test("by the command line and by the tool", async () => {
    const made = await madeSetting();
    const env = { TRANSCRIPTS_DATABASE: made.database };
    const where = { env, home: made.home, cwd: made.home };
    const { signal } = new AbortController();
    const context = {
      where,
      sessionId: SESSION,
      signal,
      openStore: async () => made.store,
      now: () => new Date(),
    };
    const send = async (text: string, at: number): Promise<void> => {
      const args = [
        "snippets",
        "extract",
        SESSION,
        "--type",
        "learning_pattern",
        "--title",
        "x",
        "--content-file",
        "-",
      ];
      if (at % 5 === 0) await runCli(args, { home: made.home, env, stdin: `${PADDING}\n${text}` });
      else await execute({ snippet_type: "learning_pattern", title: "x", content: `${PADDING}\n${text}` }, context);
    };
    await check(made, send, ofWay(0));
  });

  test("by suggestions", async () => {
    const samples = SAMPLES.slice(0, 8);
    const session = samples
      .map(({ text }, at) => {
        const input = { command: `./deploy-${"abcdefgh"[at]}.sh`, env: text };
        return (
          calls("Bash", `f${at}`, input, at) +
          result(`f${at}`, `Error: deployment ${"abcdefgh"[at]} was refused, see: ${text}`, at, true) +
          says(`It says ${text}`, at) +
          calls("Bash", `r${at}`, { command: `./repair.sh ${at}`, env: text }, at) +
          result(`r${at}`, "repaired", at) +
          calls("Bash", `t${at}`, input, at) +
          result(`t${at}`, "deployed", at)
        );
      })
      .join("");
    const made = await madeSetting(session);
    await check(
      made,
      async (_, at) => {
        if (at === 0)
          await autoExtract(made.store, made.where ?? { env: {}, home: "", cwd: "" }, await fileRef(made.path));
      },
      samples,
    );
  });
});

/** A title or tag may be too long all the same. */
function ignoreTooLong(error: unknown): void {
  assert.match(String(error), /title: it has|is too long|characters/);
}
