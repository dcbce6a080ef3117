/** Helpers for the drafts of our transcripts and of opencode's exports. */
import type { TranscriptMessage } from "../model.ts";

/** `T` with every field optional and none undefined. */
export type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the fields that have a value. Optional fields of drafts are left out rather than undefined. */
export function known<T extends object>(fields: T): Known<T> {
  const result: Known<T> = {};
  for (const key in fields) {
    const value = fields[key];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- just checked; TypeScript cannot narrow T[key]
    if (value !== undefined) result[key] = value as Exclude<T[typeof key], undefined>;
  }
  return result;
}

/** Splits `provider/model` at the first slash, because model names may contain more of them. */
export function modelAndProvider(name: string | undefined): { model?: string; provider?: string } {
  if (name === undefined || name === "") return {};
  const slash = name.indexOf("/");
  return slash < 1 ? { model: name } : { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

/** Returns `provider/model`; undefined without a model. */
export function fullModelName({ model, provider }: Pick<TranscriptMessage, "model" | "provider">): string | undefined {
  if (model === null) return undefined;
  return provider === null ? model : `${provider}/${model}`;
}
