/** Names of models with their provider. */
import type { TranscriptMessage } from "./model.ts";

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
