/** Secrets that are known by their name: `DB_PASSWORD=…`, `"apiKey": "…"`, `Authorization: …`, `--token …`. */
import { type Name, nameAround, type Assigned, headerValueAt, valueAt, valueOf } from "./assignment-syntax.ts";
import { findCookies, findCredential } from "./credential-headers.ts";
import type { Finding } from "./finding.ts";
import { familyOf, type NameFamily } from "./names.ts";
import type { ScanText } from "./scan-text.ts";
import { NOTHING, type Rule } from "./trigger-index.ts";
import { isPlaceholder, isReference, isSecretValue } from "./values.ts";

const KINDS: Readonly<Record<NameFamily, string>> = {
  password: "password",
  passphrase: "passphrase",
  secret: "secret",
  token: "token",
  "api-key": "api-key",
  "other-key": "api-key",
  login: "basic-auth",
  authorization: "authorization",
  cookie: "cookie",
  session: "cookie",
  "url-only": "url-token",
};

function kindOf(name: string, family: NameFamily): string {
  if (/secret.?access.?key/i.test(name)) return "aws-secret-key";
  return /sig(?:nature)?$/i.test(name) ? "signature" : KINDS[family];
}

/** Words that make `Key` a name in prose and prompts: `AWS Secret Access Key [None]: …`. */
const SPACED_NAME = /(?:^|[^A-Za-z])((?:(?:secret|access|api|auth|private|account|client|admin|master|encryption) ){1,2})$/i;

function fullName(text: string, name: Name): string {
  if (!/^key$/i.test(name.text)) return name.text;
  const owner = SPACED_NAME.exec(text.slice(Math.max(0, name.start - 24), name.start))?.[1] ?? "";
  return owner.replaceAll(" ", "-") + name.text;
}

/** Whether what is left of a cut value counts: it was a secret, to go by its name, and nothing says otherwise. */
function isCutSecret(value: string, family: NameFamily): boolean {
  if (isReference(value) || isPlaceholder(value) || value.includes("[REDACTED:") || /[\s()[\]{}]/.test(value)) return false;
  if (family === "password" || family === "passphrase") return value.length >= 3 && !/^[a-z]+$/i.test(value);
  return value.length >= 6 && /[0-9]/.test(value) && /[A-Za-z]/.test(value);
}

function judge(scan: ScanText, name: string, family: NameFamily, value: Assigned | undefined): readonly Finding[] {
  if (value === undefined) return NOTHING;
  const { start, end, context, cut } = value;
  const text = scan.text.slice(start, end);
  if (!isSecretValue(text, family, context) && !(cut && isCutSecret(text, family))) return NOTHING;
  return [{ start, end, kind: kindOf(name, family), byContext: true }];
}

function findAssigned(scan: ScanText, at: number): readonly Finding[] {
  if (at < scan.namesSeenTo) return NOTHING;
  const name = nameAround(scan, at);
  if (name === undefined) return NOTHING;
  scan.namesSeenTo = name.end;
  const { text } = scan;
  // A type of a schema: `AWS::IAM::AccessKey`.
  if (text.startsWith("::", name.start - 2)) return NOTHING;
  const named = fullName(text, name);
  const family = familyOf(named);
  if (family === undefined) return NOTHING;
  if (family === "authorization" || family === "cookie") return findHeader(scan, name, family);
  const inUrl = /[?&]$/.test(text.slice(Math.max(0, name.start - 1), name.start));
  if (family === "url-only" && !(inUrl && text[name.end] === "=")) return NOTHING;
  if (family === "session" && text[name.end] !== "=") return NOTHING;
  const value = valueOf(scan, name) ?? defaultValue(scan, name, family) ?? (family === "password" ? spokenPassword(scan, name) : undefined);
  return judge(scan, named, family, value);
}

const HEADER_SIGN = /\\*["'`]?\]?[ \t]{0,4}(?:=>|[:=,])[ \t]{0,4}/y;

function findHeader(scan: ScanText, name: Name, family: "authorization" | "cookie"): readonly Finding[] {
  HEADER_SIGN.lastIndex = name.end;
  if (!HEADER_SIGN.test(scan.text)) return NOTHING;
  const { start, end } = headerValueAt(scan, HEADER_SIGN.lastIndex);
  return family === "cookie" ? findCookies(scan, start, end) : findCredential(scan, start, end);
}

const DEFAULT = /\\*["'][ \t]{0,2},[ \t]{0,2}(?:default[ \t]?[=:][ \t]?)?(?=\\*["'])/y;

/** `getenv("SECRET_KEY", "…")` */
function defaultValue(scan: ScanText, { start, end }: Name, family: NameFamily): Assigned | undefined {
  if (family !== "secret" && family !== "token" && family !== "api-key") return undefined;
  if (!/\([ \t]?\\*["']$/.test(scan.text.slice(Math.max(0, start - 8), start))) return undefined;
  DEFAULT.lastIndex = end;
  return DEFAULT.test(scan.text) ? valueAt(scan, DEFAULT.lastIndex, "loose") : undefined;
}

const SPOKEN = /["'`]?[ \t]is:?[ \t]{1,2}/iy;
const SQL = /[ \t]{1,4}(?=\\*')/y;
const NETRC_BEFORE = /\blogin[ \t\r\n]+\S{1,100}[ \t\r\n]+$/;

/** `password is …`, `PASSWORD '…'` of SQL, `login … password …` of a .netrc file. */
function spokenPassword(scan: ScanText, { text: name, start, end }: Name): Assigned | undefined {
  const { text } = scan;
  SPOKEN.lastIndex = end;
  if (SPOKEN.test(text)) return withoutFullStop(text, valueAt(scan, SPOKEN.lastIndex, "loose"));
  SQL.lastIndex = end;
  if (/^password$/i.test(name) && SQL.test(text)) return valueAt(scan, SQL.lastIndex, "loose");
  const space = /[ \t]/.test(text[end] ?? "");
  return space && NETRC_BEFORE.test(text.slice(Math.max(0, start - 160), start))
    ? valueAt(scan, end + 1, "declared")
    : undefined;
}

function withoutFullStop(text: string, value: Assigned | undefined): Assigned | undefined {
  if (value === undefined || value.context === "quoted") return value;
  return { ...value, end: text[value.end - 1] === "." ? value.end - 1 : value.end };
}

export const assignmentRule: Rule = {
  triggers: [
    ..."pass pwd secret token key cred auth jwt cookie mnemonic phrase _pat _pw sig= signature= sid= sessid= sessionid=".split(
      " ",
    ),
  ],
  anyCase: true,
  find: findAssigned,
};

/** The secret in a text that is itself the value of `key`: a JSON leaf or a header. */
export function findInLeaf(scan: ScanText, key: string): readonly Finding[] {
  const family = familyOf(key);
  if (family === undefined || family === "url-only" || family === "session") return NOTHING;
  const end = scan.text.length;
  if (family === "cookie") return findCookies(scan, 0, end);
  if (family === "authorization") return findCredential(scan, 0, end);
  const marker = scan.cutMarkerIn(0, Math.min(end, 400));
  return judge(scan, key, family, {
    start: 0,
    end: marker ?? end,
    context: "quoted",
    cut: scan.cut || marker !== undefined,
  });
}
