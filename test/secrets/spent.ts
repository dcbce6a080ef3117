/**
 * A sample, one text of 19, of sets that were written without a look at the rules and measured once. What they showed
 * has been mended since.
 *
 * A line is a text: `⏎`, `⇥`, `␍` and `␛` stand for line break, tab, carriage return and escape, `⟦…⟧` surrounds a
 * secret, `{a:40}` is 40 made-up characters of an alphabet. `## kind` starts a group.
 */
import { readFileSync } from "node:fs";
import { ALNUM, BASE64, BASE64URL, createRandom, DIGITS, HEX, LOWER, type Random, UPPER } from "./random.ts";
import type { NegativeSample, PositiveSample } from "./sample.ts";

const ALPHABETS: Readonly<Record<string, string>> = {
  a: ALNUM,
  x: HEX,
  H: HEX.toUpperCase(),
  s: BASE64,
  u: BASE64URL,
  l: LOWER,
  z: LOWER + DIGITS,
  n: DIGITS,
  U: UPPER + DIGITS,
  B: `${UPPER}234567`,
};
const CONTROLS: Readonly<Record<string, string>> = { "⏎": "\n", "⇥": "\t", "␍": "\r", "␛": "\u001b" };
const SECRET = /⟦([^⟧]*)⟧/g;

const filled = (text: string, random: Random): string =>
  text
    .replaceAll("{uuid}", "{x:8}-{x:4}-{x:4}-{x:4}-{x:12}")
    .replaceAll(/\{(\w):(\d+)\}/g, (all, name: string, length: string) => {
      const alphabet = ALPHABETS[name];
      return alphabet === undefined ? all : random.chars(alphabet, Number(length));
    })
    .replaceAll(/[⏎⇥␍␛]/g, (sign) => CONTROLS[sign] ?? sign);

function read(file: string, seed: number): NegativeSample[] {
  const random = createRandom(seed);
  const samples: NegativeSample[] = [];
  let kind = "";
  for (const line of readFileSync(new URL(`spent/${file}`, import.meta.url), "utf8").split("\n")) {
    if (line.startsWith("## ")) kind = line.slice(3);
    else if (line !== "") samples.push({ kind, text: filled(line, random) });
  }
  return samples;
}

export const spentPositives: readonly PositiveSample[] = read("positives.txt", 505).map(({ kind, text }) => ({
  kind,
  text: text.replaceAll(SECRET, "$1"),
  secrets: Array.from(text.matchAll(SECRET), ([, secret = ""]) => secret),
}));

export const spentNegatives: readonly NegativeSample[] = read("negatives.txt", 606);
