/** Parts of the labelled set: templates around made-up secrets, and texts without any. */
import type { Maker } from "./makers.ts";
import { createRandom } from "./random.ts";

/** A text with secrets in it, and which strings they are. */
export interface PositiveSample {
  /** The credential that was planted, for the report. */
  kind: string;
  text: string;
  /** The JSON key or header name that the text is the value of. */
  key?: string;
  cut?: boolean;
  secrets: string[];
}

/** A text in which nothing may be replaced. */
export interface NegativeSample {
  /** What it looks like, for the report. */
  kind: string;
  text: string;
  key?: string;
  cut?: boolean;
}

interface Context {
  key?: string;
  cut?: boolean;
}

export interface PositiveTemplate extends Context {
  kind: string;
  makers: readonly Maker[];
  /** How many characters of each secret are left by a cut. All, unless given. */
  kept?: number;
  text: (...secrets: string[]) => string;
}

/** A template with one secret. */
export const holds = (
  kind: string,
  maker: Maker,
  text: (secret: string) => string,
  context: Context = {},
): PositiveTemplate => ({ kind, makers: [maker], text: (secret = "") => text(secret), ...context });

/** A template with several secrets. */
export const holdsAll = (
  kind: string,
  makers: readonly Maker[],
  text: (...secrets: string[]) => string,
  context: Context = {},
): PositiveTemplate => ({ kind, makers, text, ...context });

/** A template whose secret was cut: only its first `kept` characters are in the text. */
export const cutOff = (
  kind: string,
  maker: Maker,
  kept: number,
  text: (start: string) => string,
  context: Context = {},
): PositiveTemplate => ({ ...holds(kind, maker, text, context), kept });

/** Fills the templates. The same seed gives the same samples. */
export function fill(templates: readonly PositiveTemplate[], seed: number): PositiveSample[] {
  const random = createRandom(seed);
  return templates.map(({ kind, makers, text, kept, ...context }) => {
    const secrets = makers.map((make) => make(random).slice(0, kept));
    return { kind, text: text(...secrets), secrets, ...context };
  });
}
