/** Values of the Authorization and the cookie headers. */
import type { Finding } from "./finding.ts";
import type { ScanText } from "./scan-text.ts";
import { isStandIn } from "./placeholders.ts";
import { isRandom } from "./randomness.ts";
import { NOTHING } from "./trigger-index.ts";
import { isEncodedLogin } from "./values.ts";

const CREDENTIAL = /^[ \t]*(?:(?<scheme>[A-Za-z][\w-]{1,20})[ \t]{1,4})?(?<secret>[^\s,;"'`\\<>]{4,})/d;

const LABEL = /token|key|secret/i;

function isCredential(value: string, scheme: string, brokenOff: boolean): boolean {
  if (isStandIn(value)) return false;
  if (scheme === "basic") return isEncodedLogin(value, brokenOff) || isRandom(value, 16) || value.includes(":");
  const mixed = /[0-9]/.test(value) && /[A-Za-z]/.test(value);
  if (/[()[\]{}]/.test(value)) return false;
  if (brokenOff && scheme !== "")
    return mixed || (/[A-Z].*[A-Z]/.test(value) && /[a-z]/.test(value) && !LABEL.test(value));
  return (value.length >= 8 && mixed) || isRandom(value, 16);
}

/** The credential of an Authorization header whose value is `from <= index < to`. */
export function findCredential(scan: ScanText, from: number, to: number): readonly Finding[] {
  const match = CREDENTIAL.exec(scan.text.slice(from, to));
  const [start, end] = match?.indices?.groups?.["secret"] ?? [];
  if (match === null || start === undefined || end === undefined) return NOTHING;
  const scheme = match.groups?.["scheme"]?.toLowerCase() ?? "";
  const value = match.groups?.["secret"] ?? "";
  // AWS names the key's id here; the signature has a rule of its own.
  if (scheme.startsWith("aws4")) return NOTHING;
  if (!isCredential(value, scheme, scan.breaksOffAt(from + end))) return NOTHING;
  const kind =
    scheme === "basic" ? "basic-auth" : scheme === "" || scheme === "bearer" ? "bearer-token" : "authorization";
  return [{ start: from + start, end: from + end, kind, byContext: true }];
}

const COOKIE_PAIR = /(?<name>[^\s=;,"'\\]{1,80})=(?<secret>[^\s;,"'\\]{8,4096})/dg;
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;
const LOGIN_COOKIE = /sess|sid$|^sid|auth|token|jwt|[cx]srf|remember|login|secret/i;

/** The cookies whose name speaks of a session, or whose value is random. */
export function findCookies(scan: ScanText, from: number, to: number): readonly Finding[] {
  const findings: Finding[] = [];
  for (const { groups, indices } of scan.text.slice(from, to).matchAll(COOKIE_PAIR)) {
    const [start, end] = indices?.groups?.["secret"] ?? [];
    const name = groups?.["name"] ?? "";
    const value = groups?.["secret"] ?? "";
    if (start === undefined || end === undefined || ATTRIBUTE.test(name)) continue;
    if (isStandIn(value)) continue;
    const login = LOGIN_COOKIE.test(name) && /[0-9]/.test(value);
    if (login || isRandom(value, 16)) {
      findings.push({ start: from + start, end: from + end, kind: "cookie", byContext: true });
    }
  }
  return findings;
}
