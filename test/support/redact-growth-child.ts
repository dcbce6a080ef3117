/**
 * Measures redaction of hostile texts, in the runtime that runs it, and prints the worst as JSON.
 *
 * The texts are made of what starts the rules, so that rules added later are measured too: each trigger repeated with
 * things that may follow it, or followed by a long run, and pieces of the labelled secrets. Time is the processor's:
 * other programs do not count.
 */
import { createRedactor, allRules } from "../../src/redact/redactor.ts";
import { labelledSets } from "../secrets/measure.ts";

/**
 * All forms of each trigger, as `npm run test:long` has it; else one of them, in one of the two runtimes: what takes long
 * is an expression, seldom the program that runs it.
 */
const isLong = process.env["TEST_LONG"] === "1";
const half = process.versions["bun"] === undefined ? 0 : 1;
const CHARS = 16 * 1024;
const PARTS = 8;

/** Texts that may follow a trigger in a text that repeats both. */
const FOLLOWERS = ["", "a", "a1B2c3D4e5", '="', ": ", "=", "\\", " x ", "\n", "://a:b@", "-"];
/** Characters that make up a long run after many triggers. */
const RUNS = [".", "=", "\\", "a1", " ", '"'];

interface Growth {
  unit: string;
  /** Time of one text, divided by that of the same amount in eight texts: 1 is linear, 8 is quadratic. */
  growth: number;
  /** Time for a character, divided by the median of all hostile texts. */
  cost: number;
}

const redactor = createRedactor();

async function cpuMicros(texts: readonly string[]): Promise<number> {
  const before = process.cpuUsage();
  await redactor.redact(texts.map((text) => ({ text })));
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

interface HostileText {
  unit: string;
  make: (chars: number) => string;
}

function hostileTexts(): HostileText[] {
  const repeat = (unit: string, chars: number): string => unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);
  const repeated = (unit: string): HostileText => ({ unit, make: (chars) => repeat(unit, chars) });
  const triggers = new Set(allRules.flatMap((rule) => rule.triggers));
  const ofTriggers = [...triggers].flatMap((trigger, at) => {
    // Not each with each: triggers of one sort stand together, and one of the next few comes with the next follower.
    const followers = FOLLOWERS.filter((_, i) => i === at % FOLLOWERS.length);
    const run = RUNS[(at >> 2) % RUNS.length] ?? "";
    const beforeRun = (chars: number): string => repeat(trigger, chars / 2) + repeat(run, chars / 2);
    const forms = [
      repeated(trigger),
      ...followers.map((follower) => repeated(trigger + follower)),
      { unit: `${trigger} and then ${run}`, make: beforeRun },
    ];
    return isLong ? forms : forms.filter((_, form) => form === at % forms.length);
  });
  const labelled = labelledSets
    .flatMap(({ positives }) => positives.map(({ text }) => text))
    .filter((_, at) => at % (isLong ? 4 : 16) === 0);
  return [...ofTriggers, ...labelled.map((text, at) => repeated(text.slice(0, text.length - (at % 9))))];
}

interface Measured {
  unit: string;
  micros: number;
  growth: number;
}

/** `micros` is the time of a text of `CHARS`, whatever `chars` were measured. */
async function measure({ unit, make }: HostileText, chars = CHARS): Promise<Measured> {
  const micros = await cpuMicros([make(chars)]);
  const inParts = await cpuMicros(Array.from({ length: PARTS }, () => make(chars / PARTS)));
  return { unit, micros: (micros * CHARS) / chars, growth: micros / inParts };
}

/**
 * Growth and cost, as a multiple of the median, of a text that is measured again: below them no limit of the test is
 * near. Attempts at such a text: garbage is collected, and code compiled, at some time or other. They take a longer
 * text, of which such a moment is a smaller part; what grows faster than linearly grows more in it, not less.
 */
const SUSPECT_GROWTH = 3;
const SUSPECT_COST = 20;
const ATTEMPTS = 5;
const LONGER = 4;

const texts = hostileTexts().filter((_, at) => isLong || at % 2 === half);
for (const { make } of texts) await cpuMicros([make(CHARS / 16)]);
const measured: Measured[] = [];
for (const text of texts) measured.push(await measure(text));
const median = measured.map(({ micros }) => micros).toSorted((a, b) => a - b)[measured.length >> 1] ?? 1;
for (const [i, text] of texts.entries()) {
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    const so = measured[i];
    if (so === undefined || (so.growth < SUSPECT_GROWTH && so.micros < SUSPECT_COST * median)) break;
    const again = await measure(text, CHARS * LONGER);
    so.micros = Math.min(so.micros, again.micros);
    so.growth = Math.min(so.growth, again.growth);
  }
}
const results = measured.map(({ unit, micros, growth }): Growth => ({ unit, growth, cost: micros / median }));
const steepest = results.toSorted((a, b) => b.growth - a.growth).slice(0, 20);
const dearest = results.toSorted((a, b) => b.cost - a.cost).slice(0, 20);
console.log(JSON.stringify({ count: results.length, microsPerChar: median / CHARS, steepest, dearest }));
