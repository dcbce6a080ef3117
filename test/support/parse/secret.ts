import { randomBytes } from "node:crypto";

/** A token of the form that GitHub gives out; it opens nothing. */
export function randomSecret(): string {
  return `ghp_${randomBytes(32)
    .toString("base64")
    .replaceAll(/[^A-Za-z0-9]/g, "x")
    .slice(0, 36)}`;
}
