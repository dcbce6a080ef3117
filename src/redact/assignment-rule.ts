/** Finds secrets by their names: `DB_PASSWORD=…`, `"apiKey": "…"`, `Authorization: …`, `--token …`. */
import {
  type Assigned,
  belongsToLogin,
  headerValueAt,
  type Name,
  nameAround,
  valueAt,
  valueOf,
  withoutEnd,
} from "./assignment-syntax.ts";
import { ALNUM, inSet } from "./char-set.ts";
import { findCookies, findCredential } from "./credential-headers.ts";
import { type Finding, firstFound, NOTHING } from "./finding.ts";
import { familyOf, FOREIGN_NAMES, type NameFamily } from "./names.ts";
import { charsBefore, matchEnd, type ScanText } from "./scan-text.ts";
import { isStandIn, namesSecret, withoutMarkers } from "./placeholders.ts";
import type { Rule } from "./trigger-index.ts";
import { valueNear } from "./near-values.ts";
import { isMadeUp } from "./randomness.ts";
import { hasSecretForm, isFingerprint, isLoginPassword } from "./values.ts";

const KINDS: Readonly<Record<NameFamily, string>> = {
  password: "password",
  passphrase: "passphrase",
  secret: "secret",
  signing: "secret",
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

/** Words before `Key` that make the whole a name, in prose and prompts: `AWS Secret Access Key [None]: …`. */
const SPACED_NAME =
  /(?:^|[^A-Za-z])((?:(?:secret|access|api|auth|private|account|client|admin|master|encryption|unseal|recovery|jwt|signing|license)[ :]){1,2})$/i;

/** Words before `token` in a sentence that make it harmless. */
const SPACED_HARMLESS =
  /\b(?:lock|lease|fencing|concurrency|correlation|idempotency|cancellation|continuation|pagination|cursor|sync)[ ]$/i;

/** `"Jwt": { "Key": … }` */
const OWNING_OBJECT =
  /\b((?:jwt|signing|encryption|crypt|secret|api))\\{0,7}["']?[ \t]?(?:=>|[:=])[ \t]?(?:[{[]\s{0,20}|\r?\n[ \t]{2,20})?\\{0,7}["']?$/i;
/** `"Jwt": { "Issuer": "…", "Key": … }` */
const OWNER_OF_MEMBERS = /"(jwt|signing|encryption)\w{0,12}\\{0,7}"[ \t]?:[ \t]?\{[^{}]{0,240}[,\s]\\{0,7}"$/i;
/** `session({ secret: … })` */
const SIGNING_CALL = /(?:session|jwt|csrf|cookie\w{0,8})\([ \t]?\{[^{}()]{0,80}$/i;

const BELOW_LOGIN = /(?:^|\n)[ \t]*(?:login|user(?:name)?|account)[ \t=:]+[\w.@+-]+\r?\n[ \t]*$/;

/** `key = []byte("…")`, `secret = "…".getBytes()` */
const BYTES =
  /[ \t]{0,4}:?=[ \t]{0,4}(?:b["']|(?:\[\]byte|Buffer\.from|bytes(?:\.fromhex)?|hex\.\w{1,20}|base64\.\w{1,20}|Uint8Array\.from)\(["']|"[^"\n]{8,128}"\.(?:getBytes|encode|toByteArray)\()/y;

/** `PASS=v`, `PASS = "v"`, but not a colour or a word that is the name of a result. */
const PASS_VALUE =
  /^(?:=|: (?=[A-Za-z]{0,20}\d)[\x21-\x7e]{6,}[ \t]*\n|[ \t]+=[ \t]*["'](?!#[\da-f]{3,8}["'])(?=[^"'\n]*\d)[\x21-\x5b\x5d-\x7e]{6,}["'])/i;

/** Names that say more with what is around them. */
const SHORT_NAMES: ReadonlySet<string> = new Set(["pass", "phrase", "secret", "secret_id", "key", "token"]);

function fullName(text: string, name: Name): string {
  if (!SHORT_NAMES.has(name.text.toLowerCase())) return name.text;
  // `PASS` and `Pass` are usually results in a test report.
  if (/^P(?:ASS|ass)$/.test(name.text) && PASS_VALUE.test(`${text.slice(name.end, name.end + 80)}\n`)) return "pass";
  if (/^phrase$/i.test(name.text))
    return /\bpass[ \t]$/i.test(charsBefore(text, name.start, 8)) ? "pass-phrase" : name.text;
  if (name.text === "secret_id" && /\brole_id\b/.test(charsBefore(text, name.start, 80))) return "VAULT_SECRET_ID";
  if (/^(?:secret|key)$/i.test(name.text) && matchEnd(BYTES, text, name.end) !== undefined) return "signing-key";
  if (name.text === "secret" && BELOW_LOGIN.test(charsBefore(text, name.start, 80))) return "password";
  if (name.text === "secret" && SIGNING_CALL.test(charsBefore(text, name.start, 100))) return "session-secret";
  if (/^token$/i.test(name.text))
    return `${SPACED_HARMLESS.exec(charsBefore(text, name.start, 16))?.[0] ?? ""}${name.text}`;
  if (!/^key$/i.test(name.text)) return name.text;
  const before = charsBefore(text, name.start, 40);
  const owner =
    SPACED_NAME.exec(before)?.[1] ??
    OWNING_OBJECT.exec(before)?.[1] ??
    (before.endsWith('"') ? OWNER_OF_MEMBERS.exec(charsBefore(text, name.start, 280))?.[1] : "") ??
    "";
  return owner === "" ? name.text : `${owner.trim().replaceAll(/[ :]/g, "-")}-${name.text}`;
}

/** Returns true if the rest of a cut value, which is no stand-in, may be a secret. Little evidence is needed, as the name suggests one. */
function isCutSecret(value: string, family: NameFamily): boolean {
  if (/[\s()[\]{}]/.test(value)) return false;
  if (family === "password" || family === "passphrase") return value.length >= 3 && !/^[a-z]+$/i.test(value);
  return value.length >= 6 && /[0-9]/.test(value) && /[A-Za-z]/.test(value);
}

const NUMBERED =
  /(?:first|second|third|fourth|next|last|final|one|each|every|this|tests?|checks?|all|\b\d{1,3}(?:st|nd|rd|th)?) $/i;

/** Maximum characters of a value that are judged. */
const JUDGED_CHARS = 256;
const judgedPart = ({ text }: ScanText, { start, end }: Assigned): string =>
  text.slice(start, Math.min(end, start + JUDGED_CHARS));

/** NUL and the like, written as an escape. */
const CONTROL_ESCAPE = /\\u00[01][\da-f]/gi;

/** Returns true if `text` ends with `end`, apart from case and all but letters and digits. */
function endsLike(text: string, end: string): boolean {
  let at = text.length;
  let left = end.length;
  for (;;) {
    while (left > 0 && !inSet(ALNUM, end.charCodeAt(left - 1))) left--;
    if (left === 0) return true;
    while (at > 0 && !inSet(ALNUM, text.charCodeAt(at - 1))) at--;
    if (at === 0 || text.charAt(at - 1).toLowerCase() !== end.charAt(left - 1).toLowerCase()) return false;
    at--;
    left--;
  }
}

/** Returns true if the value only repeats its name: `new Secret("R2AccessKey")`, `typeof ApiSecretKey`. */
const repeats = (name: string, value: string, isLiteral: boolean): boolean =>
  value.length >= 6 &&
  value.length <= MAX_REPEATED &&
  (endsLike(name, value) || (!isLiteral && name.length >= 8 && endsLike(value, name) && /^[A-Za-z_]\w*$/.test(value)));
const MAX_REPEATED = 80;
/** No value contains its own name, assigned, as often as this. */
const MOST_REPEATS = 3;
const isRepeated = (name: string, value: string): boolean =>
  value.includes(name) &&
  (value === name || [":", "="].some((sign) => value.split(name + sign, MOST_REPEATS + 1).length > MOST_REPEATS));

function judge(scan: ScanText, name: string, family: NameFamily, value: Assigned | undefined): readonly Finding[] {
  if (value === undefined) return NOTHING;
  const { start, end, context, cut } = value;
  const whole = judgedPart(scan, value);
  if (isStandIn(whole)) return NOTHING;
  const text = withoutMarkers(whole).replaceAll(CONTROL_ESCAPE, "");
  if (
    repeats(name, text, /["'`]/.test(scan.text.charAt(start - 1))) ||
    (!family.startsWith("pass") && namesSecret(text)) ||
    (/pwd$/i.test(name) && /[/\\]|^index-/.test(text))
  )
    return NOTHING;
  const isSecret =
    hasSecretForm(text, family, context) ||
    (cut && isCutSecret(text, family)) ||
    (PASSWORDS.has(family) &&
      isLoginPassword(text) &&
      (isShellValue(scan.text, value) || belongsToLogin(scan.text, value)));
  if (!isSecret) return NOTHING;
  if (isFingerprint(name, text)) return NOTHING;
  scan.seenTo.names = Math.max(scan.seenTo.names, end);
  return [{ start, end, kind: kindOf(name, family), byContext: true }];
}

/** Returns true for letters of base64 that happen to be a name: `…q+xYx6PWD+…`, `…/xYx6PW=`. */
const isInBase64 = (text: string, { start, end }: Pick<Name, "start" | "end">): boolean =>
  /[\w+/]\+$/.test(charsBefore(text, start, 2)) ||
  /^\+[\w+/]/.test(text.slice(end, end + 2)) ||
  (text[start - 1] === "/" && /^={1,2}(?:[^\w"'=]|$)/.test(text.slice(end, end + 3)));

/** Variable of a shell, option of a command, field of a connection string: `DB_PASSWORD='`, `--passphrase "`, `;Pwd=`. */
const SHELL_NAME =
  /(?:(?:^|[\s;"'`])[A-Z][A-Z\d_]{3,80}(?:=|[ ]:=[ ]|["'],[ ]?)|\s--?[a-z][\w-]{2,40}[ =]|;[ ]?(?:[Pp]assword|PASSWORD|[Pp]wd|PWD)=)\\{0,7}["']?$/;
const isShellValue = (text: string, { start, end, context }: Assigned): boolean =>
  (context === "declared" || context === "quoted") && end - start >= 6 && SHELL_NAME.test(charsBefore(text, start, 96));

const PASSWORDS: ReadonlySet<NameFamily> = new Set(["password", "passphrase"]);

/** The value was redacted already, to its end. */
const REDACTED =
  /\\{0,7}["'`]?[ \t]{0,4}[:=]?[ \t]{0,4}(?:\\{0,7}["'`]\[REDACTED:[a-z\d-]{1,64}\]\\{0,7}["'`]|\[REDACTED:[a-z\d-]{1,64}\](?=[\s,;)]|$))/y;

function findAssigned(scan: ScanText, at: number): readonly Finding[] {
  if (at < scan.seenTo.names) return NOTHING;
  const name = nameAround(scan, at);
  if (name === undefined) return NOTHING;
  scan.seenTo.names = name.end;
  const { text } = scan;
  if (matchEnd(REDACTED, text, name.end) !== undefined) return NOTHING;
  // One of several runs: `second pass: …`.
  if (/^pass$/i.test(name.text) && NUMBERED.test(charsBefore(text, name.start, 8))) return NOTHING;
  if (isInBase64(text, name)) return NOTHING;
  // A resource type: `AWS::IAM::AccessKey`, a hash: `checksum/secret`, a part of a route: `/:password`.
  // But `profile::db::password: v` is a key in Puppet's Hiera.
  const before = charsBefore(text, name.start, 80);
  const isKey = (): boolean => text.startsWith(": ", name.end) && /(?:^|\n)[ \t]*(?:\w+::)+$/.test(before);
  if ((before.endsWith("::") || before.endsWith("checksum/")) && !isKey()) return NOTHING;
  if (text[name.end] === "/" && text.startsWith("/:", name.start - 2)) return NOTHING;
  const named = fullName(text, name);
  const family = familyOf(named);
  if (family === undefined) return NOTHING;
  if (family === "authorization" || family === "cookie") return findHeader(scan, name, family);
  if (family === "session" && !isCookie(text, name)) return NOTHING;
  if (family === "url-only" && !isParameter(text, name))
    return firstFound([() => findStoredKey(scan, name), () => findSpokenKey(scan, name)]);
  return findValue(scan, { name, named, family });
}

/** A name with what it says of its value. */
interface Label {
  name: Name;
  /** The name with the words around it that belong to it. */
  named: string;
  family: NameFamily;
  isForeign?: boolean;
}

function findValue(scan: ScanText, label: Label): readonly Finding[] {
  const { name, named, family } = label;
  const value = valueOf(scan, name);
  // After YAML's `|` and `>` the value is on the next line; `[` begins a list.
  const isBlock = value !== undefined && /^(?:[|>][+-]?|[[{])?$/.test(scan.text.slice(value.start, value.end));
  const isPlural = /[a-z]s$/i.test(name.text) && !/pass$/i.test(name.text);
  const members = isPlural ? findMembers(scan, label) : NOTHING;
  if (members.length > 0) return members;
  // The same name again and again: each is judged where it stands.
  if (value !== undefined && isRepeated(name.text, judgedPart(scan, value))) return NOTHING;
  const first = value === undefined || isBlock ? valueNear(scan, label) : value;
  const found = judge(scan, named, family, phraseOf(scan, label, first) ?? first);
  return found.length > 0
    ? [...found, ...furtherItems(scan, label, first, isBlock || isPlural ? NEXT_ITEM : CHANGED)]
    : NOTHING;
}

/** Rest of a line of words: `passphrase: walnut lantern drifting yonder` */
const MORE_WORDS = /(?: [\p{L}\d][\p{L}\d'’-]{1,13}){2,7}(?=[ \t]{0,4}(?:\r?\n|$))/uy;

/** Returns the words to the end of the line, if they are a passphrase without quotes. */
function phraseOf({ text }: ScanText, { family }: Label, first: Assigned | undefined): Assigned | undefined {
  if (first === undefined || first.context === "quoted" || !PASSWORDS.has(family)) return undefined;
  const end = matchEnd(MORE_WORDS, text, first.end);
  if (end === undefined || !/[:=]["'*\s]{0,4}$/.test(charsBefore(text, first.start, 6))) return undefined;
  const words = text.slice(first.start, end);
  const isSure = family === "passphrase" || /^[a-z]+(?: [a-z]+){3,7}(?: \d{1,4})?$/.test(words);
  return isSure ? { ...first, end, context: "quoted" } : undefined;
}

const NEXT_ITEM =
  /\\{0,127}["'`]?(?:[ \t]{0,4},[ \t\n]{0,40}(?:and[ \t])?|[ \t](?:and|or|&|und|et|y)[ \t]|\r?\n[ \t]{0,40}-[ \t]{1,8})(?=\S)/y;
/** Between the old and the new value: `"v" -> "w"`, `from v to w`, `v, the new one is w`, `not "v" but "w"`. */
const CHANGED =
  /[!.]?\\{0,7}["'`]?(?:[ \t]{1,4}(?:->|→|=>)|[ \t](?:to|auf|na|para|по)|,?[ \t](?:and[ \t]|but[ \t])?(?:the[ \t])?new(?:[ \t](?:one|password|pw|pwd))?(?:[ \t](?:is|was))?:?|,?[ \t](?:but|instead of|rather than|not|vs\.?)(?:(?:[ \t][\w.]{1,20}){0,6}(?=[ \t]["'`]))?)[ \t](?=\S)/iy;
const MAX_ITEMS = 32;

/** Finds the items of a list after the first, `passwords: ["a", "b"]`, or the new value after the old one. */
function furtherItems(
  scan: ScanText,
  { named, family }: Label,
  first: Assigned | undefined,
  pattern: RegExp,
): readonly Finding[] {
  const found: Finding[] = [];
  let last = first;
  for (let count = 0; last !== undefined && count < MAX_ITEMS; count++) {
    const at = matchEnd(pattern, scan.text, last.end);
    const next = at === undefined ? undefined : valueAt(scan, at, "line");
    if (
      next === undefined ||
      (pattern === CHANGED && !isMadeUp(scan.text.slice(next.start, next.end))) ||
      (next.context === "quoted") !== (last.context === "quoted")
    )
      break;
    const judged = judge(scan, named, family, next);
    if (judged.length === 0) break;
    found.push(...judged);
    last = next;
  }
  return found;
}

const OPENING = /\\{0,7}["']?[ \t]{0,4}(?::|=>?)[ \t]{0,4}\{/y;
const MEMBER =
  /[\s,]{0,40}(?:\\n\s{0,20})?\\{0,7}["']?[\w.@-]{1,40}\\{0,7}["']?[ \t]{0,4}(?::|=>?)[ \t]{0,4}(?=\\{0,7}["'])/y;

/** A member that is not the secret: `"accountId":`, `"region":` */
const PUBLIC_MEMBER =
  /(?:id|name|type|scopes?|sha\d*|region|url|host|email|user)\\{0,7}["']?[ \t]{0,4}(?::|=>?)[ \t]{0,4}$/i;

/** Finds the values of an object: `PASSWORDS = {"staging": "a", "prod": "b"}`. */
function findMembers(scan: ScanText, { name, named, family }: Label): readonly Finding[] {
  const found: Finding[] = [];
  let at = matchEnd(OPENING, scan.text, name.end);
  for (let count = 0; at !== undefined && count < MAX_ITEMS; count++) {
    const start = matchEnd(MEMBER, scan.text, at);
    const value = start === undefined ? undefined : valueAt(scan, start, "loose");
    if (value === undefined || value.context !== "quoted") break;
    if (!PUBLIC_MEMBER.test(scan.text.slice(at, start))) found.push(...judge(scan, named, family, value));
    at = value.end + (/^\\{0,7}["']/.exec(scan.text.slice(value.end, value.end + 8))?.[0].length ?? 0);
  }
  return found;
}

const isParameter = (text: string, { start, end }: Name): boolean =>
  /[?&]/.test(text[start - 1] ?? "") && text[end] === "=";

/** `NAME=value`, `{"name": "NAME", "value": "…"}`, `NAME\tvalue` of a cookie jar, `cookies={"NAME": "…"}`. */
const COOKIE_BEFORE = /(?:\b(?:name|cookies?)\\{0,7}["']?[ \t]{0,4}[:=][ \t]{0,4}\{?[ \t\n]{0,8}\\{0,7}["'])$/i;
const isCookie = (text: string, { start, end }: Name): boolean =>
  text[end] === "=" ||
  (/^: \S/.test(text.slice(end, end + 3)) && /(?:php|j)sess(?:ion)?id$/i.test(text.slice(start, end))) ||
  (text[end] === "\t" && text[start - 1] === "\t") ||
  COOKIE_BEFORE.test(charsBefore(text, start, 32));

const STORED_KEY_BEFORE =
  /"(?:type\\{0,7}":[ \t]{0,4}\\{0,7}"api|username\\{0,7}":[ \t]{0,4}\\{0,7}"[\w.@-]{1,40})\\{0,7}",[\s\\n]{0,24}"$/;

/** `"key": "…", "secret": …`, `Client(url, key="…")`, a key of 32 bytes or more in base64 */
const SECRET_AFTER = /^\\{0,7}["'],\s{0,8}\\{0,7}["'](?:api_?)?secret/i;
const CLIENT_CALL = /(?:client|login)\w{0,8}\([^()\n]{0,80}$/i;
const PADDED_KEY = /^[A-Za-z0-9+/]{42,}={1,2}$/;

/** Finds a key in opencode's auth.json, `{"type": "api", "key": "…"}`, and next to a user's name in kaggle.json. */
function findStoredKey(scan: ScanText, name: Name): readonly Finding[] {
  const before = charsBefore(scan.text, name.start, 96);
  const value = valueOf(scan, name);
  if (value === undefined) return NOTHING;
  const isStored =
    name.text === "key" &&
    (STORED_KEY_BEFORE.test(before) ||
      CLIENT_CALL.test(before) ||
      SECRET_AFTER.test(scan.text.slice(value.end, value.end + 24)));
  const own = scan.text.slice(value.start, Math.min(value.end, value.start + JUDGED_CHARS));
  return isStored ||
    (name.flag && /^[\w+/=-]{20,}$/.test(own)) ||
    (value.context !== "loose" && PADDED_KEY.test(own) && !/public[ -]$/i.test(before))
    ? judge(scan, "api-key", "api-key", value)
    : NOTHING;
}

/** Finds `my OpenAI key is …`, if the value cannot be a hash or a name. */
function findSpokenKey(scan: ScanText, name: Name): readonly Finding[] {
  const isKey = /^key$/i.test(name.text);
  const inBrackets = isKey && scan.text.startsWith(" (", name.end) ? valueAt(scan, name.end + 2, "loose") : undefined;
  const isSpokenOf = / (?:is|ist|es|est|é|è)\b/.test(scan.text.slice(name.end, name.end + 6));
  const spoken = isKey && isSpokenOf ? valueNear(scan, { name, family: "api-key" }) : undefined;
  const value = inBrackets ?? spoken;
  if (value === undefined) return NOTHING;
  const text = scan.text.slice(value.start, Math.min(value.end, value.start + JUDGED_CHARS));
  return /^[\w-]{24,}$/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text)
    ? judge(scan, "api-key", "api-key", value)
    : NOTHING;
}

const HEADER_SIGN = /\\{0,127}["'`]?\]?[ \t]{0,4}(?:(?:=>|[:=,])[ \t]{0,4}|[ \t](?=["']))/y;

function findHeader(scan: ScanText, name: Name, family: "authorization" | "cookie"): readonly Finding[] {
  const valueStart = matchEnd(HEADER_SIGN, scan.text, name.end);
  // `iex --cookie v`
  if (valueStart === undefined)
    return family === "cookie" && name.flag ? judge(scan, name.text, "token", valueOf(scan, name)) : NOTHING;
  const { start, end } = headerValueAt(scan, valueStart);
  if (family === "authorization") return findCredential(scan, start, end);
  // All cookies of the line are judged at once.
  scan.seenTo.names = end;
  return findCookies(scan, start, end);
}

const TRIGGERS =
  'pass pwd secret token key cred auth totp access refresh jwt cookie mnemonic phrase _pat _pw pw= pw: pw" pw\' authtok sig= signature= sid= sid" sessi sess= sess1 .sid li_at= cf_cl ct0= wordpress_ remember_ .aspnetcore _identity mojolicious= psid= salt sonar.login _bearer _hmac= macaroon dbroot=';

/** Maximum distance of another name that belongs to the same label, in characters. */
const CHARS_OF_NAME = 16;

function findForeign(scan: ScanText, at: number, word: string): readonly Finding[] {
  if (at < scan.seenTo.foreign) return NOTHING;
  scan.seenTo.foreign = at + CHARS_OF_NAME;
  const { text } = scan;
  const isLatin = /^\w/.test(word);
  const wordEnd = at + withoutEnd(word, ":：= ").length;
  // `clave` is any key in Spanish: only words that say what it is for may follow.
  if (/clave$/i.test(word) && /^ (?!del? |es )\p{L}/u.test(text.slice(wordEnd, wordEnd + 5))) return NOTHING;
  // Latin words must be whole; in scripts without spaces they may be part of a compound.
  if (isLatin && !/^(?:kenn|wacht)woord|^kennwort/.test(word) && /[\p{L}\d+]/u.test(text[at - 1] ?? "")) return NOTHING;
  const suffix =
    /^(?:[_.-]\w{1,24}|(?:e[tn]|s[iı]|n[iı]z|m)(?!\p{L}))?/u.exec(text.slice(wordEnd, wordEnd + 32))?.[0] ?? "";
  const name = { text: text.slice(at, wordEnd), start: at, end: wordEnd + suffix.length, flag: false };
  if (isInBase64(text, name)) return NOTHING;
  // A word after the name may belong to the sentence.
  return findValue(scan, { name, named: "password", family: "password", isForeign: true }).filter(({ start, end }) => {
    const value = text.slice(start, Math.min(end, start + JUDGED_CHARS));
    return text[start - 1] === "=" || !(/^\p{L}+$/u.test(value) || (!/\d/.test(value) && /[^\x21-\x7e]/.test(value)));
  });
}

export const assignmentRules: readonly Rule[] = [
  { triggers: [...TRIGGERS.split(" "), "pw =", "pw is", "pw ", "pw?", "psk"], anyCase: true, find: findAssigned },
  // Names in other languages
  ...FOREIGN_NAMES.split("|").map((word) => ({
    triggers: [word],
    find: (scan: ScanText, at: number) => findForeign(scan, at, word),
  })),
];

/** Finds the secret in a text that is the whole value of `key`: a JSON string or a header. */
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
