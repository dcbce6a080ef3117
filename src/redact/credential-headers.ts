/** Finds secrets in the values of Authorization and cookie headers. */
import { charSetExcept } from "./char-set.ts";
import { type Finding, NOTHING } from "./finding.ts";
import type { ScanText } from "./scan-text.ts";
import { isStandIn, withoutMarkers } from "./placeholders.ts";
import { isRandom } from "./randomness.ts";
import { isEncodedLogin } from "./values.ts";

const CREDENTIAL = /^[ \t]*(?:(?<scheme>[A-Za-z][\w-]{1,20})[ \t]{1,4})?(?<secret>[^\s,;"'`\\<>]{4,})/d;

/** Characters of the group `secret`, to find the end of credentials longer than `JUDGED_CHARS`. */
const CREDENTIAL_CHARS = charSetExcept(" \t\r\n\f\v,;\"'`\\<>");
const JUDGED_CHARS = 1024;

const LABEL = /token|key|secret/i;

function isCredential(value: string, scheme: string, brokenOff: boolean): boolean {
  if (isStandIn(value)) return false;
  if (/[()[\]{}]/.test(value)) return false;
  if (scheme === "basic") return isEncodedLogin(value, brokenOff) || isRandom(value, 16) || value.includes(":");
  const mixed = /[0-9]/.test(value) && /[A-Za-z]/.test(value);
  if (brokenOff && scheme !== "")
    return mixed || (/[A-Z][^A-Z]*[A-Z]/.test(value) && /[a-z]/.test(value) && !LABEL.test(value));
  return (value.length >= 8 && mixed) || isRandom(value, 16);
}

/** Finds the credential of an Authorization header whose value is `from <= index < to`. */
export function findCredential(scan: ScanText, from: number, to: number): readonly Finding[] {
  const match = CREDENTIAL.exec(scan.text.slice(from, Math.min(to, from + JUDGED_CHARS)));
  const [start] = match?.indices?.groups?.["secret"] ?? [];
  if (match === null || start === undefined) return NOTHING;
  const end = Math.min(to, scan.runEnd(CREDENTIAL_CHARS, from + start));
  const scheme = match.groups?.["scheme"]?.toLowerCase() ?? "";
  const value = withoutMarkers(match.groups?.["secret"] ?? "");
  // For AWS this is the key's id; the signature has its own rule.
  if (scheme.startsWith("aws4")) return NOTHING;
  if (!isCredential(value, scheme, scan.breaksOffAt(end))) return NOTHING;
  const kind =
    scheme === "basic" ? "basic-auth" : scheme === "" || scheme === "bearer" ? "bearer-token" : "authorization";
  return [{ start: from + start, end, kind, byContext: true }];
}

const COOKIE_PAIR = /[^\s;,"'\\]+/g;
/** Maximum characters of a cookie header; servers accept 8 to 16 KiB. */
const MAX_COOKIES = 64 * 1024;
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;
const LOGIN_COOKIE = /sess|sid$|^sid|auth|token|jwt|[cx]srf|remember|login|secret/i;

/** Finds the cookies whose name refers to a session or whose value is random. */
export function findCookies(scan: ScanText, from: number, to: number): readonly Finding[] {
  const findings: Finding[] = [];
  const line = scan.text.slice(from, Math.min(to, from + MAX_COOKIES));
  for (const { index, 0: pair } of line.matchAll(COOKIE_PAIR)) {
    const sign = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, sign));
    const value = pair.slice(sign + 1);
    if (name === "" || value.length < 8 || ATTRIBUTE.test(name) || isStandIn(value)) continue;
    const login = LOGIN_COOKIE.test(name) && /[0-9]/.test(value);
    if (login || isRandom(value, 16)) {
      const start = from + index + sign + 1;
      findings.push({ start, end: start + value.length, kind: "cookie", byContext: true });
    }
  }
  return findings;
}
