/** Secrets that are known by their name: `DB_PASSWORD=…`, `"apiKey": "…"`, `Authorization: …`, `--token …`. */
import { type Assigned, headerValueAt, type Name, nameAround, valueOf } from "./assignment-syntax.ts";
import { findCookies, findCredential } from "./credential-headers.ts";
import type { Finding } from "./finding.ts";
import { familyOf, type NameFamily } from "./names.ts";
import type { ScanText } from "./scan-text.ts";
import { isStandIn, withoutMarkers } from "./placeholders.ts";
import { NOTHING, type Rule } from "./trigger-index.ts";
import { spokenValue, valueWithoutSign } from "./unsigned-values.ts";
import { isFingerprint, isSecretValue } from "./values.ts";

const KINDS: Readonly<Record<NameFamily, string>> = {
  password: "password",
  passphrase: "passphrase",
  secret: "secret",
  token: "token",
  "api-key": "api-key",
  "other-key": "api-key",
  oauth: "token",
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
const SPACED_NAME =
  /(?:^|[^A-Za-z])((?:(?:secret|access|api|auth|private|account|client|admin|master|encryption|unseal|recovery) ){1,2})$/i;

function fullName(text: string, name: Name): string {
  // In test reports `PASS` is a result.
  if (name.text === "PASS" && text[name.end] === "=") return "pass";
  if (/^phrase$/i.test(name.text))
    return /\bpass[ \t]$/i.test(text.slice(Math.max(0, name.start - 8), name.start)) ? "pass-phrase" : name.text;
  if (!/^key$/i.test(name.text)) return name.text;
  const owner = SPACED_NAME.exec(text.slice(Math.max(0, name.start - 24), name.start))?.[1] ?? "";
  return owner.replaceAll(" ", "-") + name.text;
}

/** Whether what is left of a cut value counts: it was a secret, to go by its name, and nothing says otherwise. */
function isCutSecret(value: string, family: NameFamily): boolean {
  if (isStandIn(value) || /[\s()[\]{}]/.test(value)) return false;
  if (family === "password" || family === "passphrase") return value.length >= 3 && !/^[a-z]+$/i.test(value);
  return value.length >= 6 && /[0-9]/.test(value) && /[A-Za-z]/.test(value);
}

const NUMBERED =
  /(?:first|second|third|fourth|next|last|final|one|each|every|this|tests?|checks?|all|\d(?:st|nd|rd|th)?) $/i;

/** How much of a value is looked at to judge it. */
const JUDGED_CHARS = 512;

function judge(scan: ScanText, name: string, family: NameFamily, value: Assigned | undefined): readonly Finding[] {
  if (value === undefined) return NOTHING;
  const { start, end, context, cut } = value;
  const whole = scan.text.slice(start, Math.min(end, start + JUDGED_CHARS));
  if (isStandIn(whole)) return NOTHING;
  const text = withoutMarkers(whole);
  if (!isSecretValue(text, family, context) && !(cut && isCutSecret(text, family))) return NOTHING;
  if (isFingerprint(name, text)) return NOTHING;
  scan.namesSeenTo = Math.max(scan.namesSeenTo, end);
  return [{ start, end, kind: kindOf(name, family), byContext: true }];
}

function findAssigned(scan: ScanText, at: number): readonly Finding[] {
  if (at < scan.namesSeenTo) return NOTHING;
  const name = nameAround(scan, at);
  if (name === undefined) return NOTHING;
  scan.namesSeenTo = name.end;
  const { text } = scan;
  // A run through something: `second pass: …`.
  if (/^pass$/i.test(name.text) && NUMBERED.test(text.slice(Math.max(0, name.start - 8), name.start))) return NOTHING;
  // A type of a schema: `AWS::IAM::AccessKey`.
  if (text.startsWith("::", name.start - 2)) return NOTHING;
  const named = fullName(text, name);
  const family = familyOf(named);
  if (family === undefined) return NOTHING;
  if (family === "authorization" || family === "cookie") return findHeader(scan, name, family);
  if (family === "session" && !isCookie(text, name)) return NOTHING;
  if (family === "url-only" && !isParameter(text, name)) {
    const stored = findStoredKey(scan, name);
    return stored.length > 0 ? stored : findSpokenKey(scan, name);
  }
  const value = valueOf(scan, name);
  // `|` and `>` of YAML: the value is on the next line. `[`: the first of a list.
  const isBlock = value !== undefined && /^(?:[|>][+-]?|\[)?$/.test(text.slice(value.start, value.end));
  return judge(scan, named, family, value === undefined || isBlock ? valueWithoutSign(scan, name, family) : value);
}

const isParameter = (text: string, { start, end }: Name): boolean =>
  /[?&]/.test(text[start - 1] ?? "") && text[end] === "=";

/** `NAME=value`, `{"name": "NAME", "value": "…"}`, `NAME\tvalue` of a cookie jar, `cookies={"NAME": "…"}`. */
const COOKIE_BEFORE = /(?:\b(?:name|cookies?)\\{0,7}["']?[ \t]{0,4}[:=][ \t]{0,4}\{?[ \t\n]{0,8}\\{0,7}["'])$/i;
const isCookie = (text: string, { start, end }: Name): boolean =>
  text[end] === "=" ||
  (/^: \S/.test(text.slice(end, end + 3)) && /(?:php|j)sess(?:ion)?id$/i.test(text.slice(start, end))) ||
  (text[end] === "\t" && text[start - 1] === "\t") ||
  COOKIE_BEFORE.test(text.slice(Math.max(0, start - 32), start));

const STORED_KEY_BEFORE = /"type\\{0,7}":[ \t]{0,4}\\{0,7}"api\\{0,7}",[\s\\n]{0,24}"$/;

/** `{"type": "api", "key": "…"}`: a provider's key in opencode's auth.json. */
function findStoredKey(scan: ScanText, name: Name): readonly Finding[] {
  const before = scan.text.slice(Math.max(0, name.start - 48), name.start);
  if (name.text !== "key" || !STORED_KEY_BEFORE.test(before)) return NOTHING;
  return judge(scan, "api-key", "api-key", valueOf(scan, name));
}

/** `my OpenAI key is …`: what a hash or a name could not be. */
function findSpokenKey(scan: ScanText, name: Name): readonly Finding[] {
  const value = /^key$/i.test(name.text) ? spokenValue(scan, name, "api-key") : undefined;
  if (value === undefined) return NOTHING;
  const text = scan.text.slice(value.start, Math.min(value.end, value.start + JUDGED_CHARS));
  return /^[\w-]{24,}$/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text)
    ? judge(scan, "api-key", "api-key", value)
    : NOTHING;
}

const HEADER_SIGN = /\\{0,127}["'`]?\]?[ \t]{0,4}(?:(?:=>|[:=,])[ \t]{0,4}|[ \t](?=["']))/y;

function findHeader(scan: ScanText, name: Name, family: "authorization" | "cookie"): readonly Finding[] {
  HEADER_SIGN.lastIndex = name.end;
  if (!HEADER_SIGN.test(scan.text)) return NOTHING;
  const { start, end } = headerValueAt(scan, HEADER_SIGN.lastIndex);
  if (family === "authorization") return findCredential(scan, start, end);
  // All cookies of the line are judged at once.
  scan.namesSeenTo = end;
  return findCookies(scan, start, end);
}

const TRIGGERS =
  'pass pwd secret token key cred auth access refresh jwt cookie mnemonic phrase _pat _pw pw= pw: psk= psk: psk" pw" pw\' authtok sig= signature= sid= sid" sessi sess= sess1 .sid li_at= cf_cl ct0= wordpress_ remember_ .aspnetcore _identity mojolicious= psid=';

export const assignmentRule: Rule = {
  triggers: [...TRIGGERS.split(" "), "pw =", "pw is"],
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
  const marker = scan.cutMarkerIn(0, Math.min(end, JUDGED_CHARS));
  const cut = scan.cut || marker !== undefined;
  return judge(scan, key, family, { start: 0, end: marker ?? end, context: "quoted", cut });
}
