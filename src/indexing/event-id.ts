/** Names of events, and short names of what may hold anything. */
import { createHash } from "node:crypto";

/** A UUID (version 8) made of what tells an event from all others. */
export function eventId(parts: readonly string[]): string {
  const hex = createHash("sha1").update(JSON.stringify(parts)).digest("hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3] ?? "8";
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-");
}

/** A call's id as 64 bits: kept between runs, where an id could be a secret that somebody put there. */
export function idKey(id: string): string {
  return createHash("sha1").update(id).digest("hex").slice(0, 16);
}
