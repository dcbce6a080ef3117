/** Finds passwords next to a user's name: in URLs, `curl -u` and Basic authentication. */
import { BASE64 } from "./char-set.ts";
import { type Finding, findingIf, NOTHING, secretAt } from "./finding.ts";
import { charsBefore, matchEnd, type ScanText } from "./scan-text.ts";
import { isEncodedLogin } from "./values.ts";
import { isStandIn } from "./placeholders.ts";
import { isMadeUp, isRandom } from "./randomness.ts";
import type { Rule } from "./trigger-index.ts";

const isRealPassword = (value: string): boolean => value.length >= 3 && !isStandIn(value);

/** `//` of a URL, also with slashes escaped as in JSON. */
const SLASHES = String.raw`:\\{0,3}\/\\{0,3}\/`;
/** User, optionally with a Windows domain: `CORP\ann`. */
const USER = String.raw`(?<user>(?:[\w.-]{1,64}\\{1,2}(?=\w)|(?:cn|uid)=[\w=,.-]{1,128}(?=:))?[^\s:/?#@"'\x60<>\\[\](){},]{0,128})`;
/** The last `@` before the path ends the password, which may contain `@` itself. */
const URL_LOGIN = new RegExp(String.raw`${SLASHES}${USER}:(?<secret>[^\s/"'\x60<>\\]{1,256})@(?=[\w[.$<{%/-]|$)`, "dy");
const URL_LOGIN_CUT = new RegExp(String.raw`${SLASHES}${USER}:(?<secret>[^\s/@"'\x60<>\\…]{4,256})`, "dy");
/** Token instead of a user: `https://TOKEN@host`, `https://TOKEN:@host`, `https://TOKEN:x-oauth-basic@host`. */
const URL_TOKEN = new RegExp(
  String.raw`${SLASHES}(?<secret>[\w.~-]{16,256})(?::(?:x-oauth-basic|x)?)?@(?=[\w[])`,
  "dy",
);
/** The public key of a Sentry DSN: `https://KEY@o1.ingest.sentry.io/42`. */
const SENTRY_DSN = /:\/\/[0-9a-f]{32}@[\w.-]{1,100}(?::\d{1,5})?\/\d{1,20}(?!\w)/y;

/** Host names that RFC 2606 reserves for documentation: `db.example.com`, but not `example.com.acme.io`. */
const EXAMPLE_HOST = /(?:[\w-]{1,63}\.){0,3}example\.(?:com|org|net)(?![\w-]|\.\w)/iy;

function findUrlLogin(scan: ScanText, at: number): readonly Finding[] {
  const { text } = scan;
  const token = secretAt(URL_TOKEN, text, at);
  if (token !== undefined && isRandom(token.value, 16) && matchEnd(SENTRY_DSN, text, at) === undefined)
    return findingIf(true, token, "url-token");
  const whole = secretAt(URL_LOGIN, text, at);
  const login = whole ?? secretAt(URL_LOGIN_CUT, text, at);
  if (login === undefined) return NOTHING;
  const { end, value, groups } = login;
  // Without the `@`, which may be cut off, a port looks like a password.
  if (whole === undefined && (/^\d{1,5}(?![\w-])/.test(value) || !scan.breaksOffAt(end))) return NOTHING;
  if (/^\d{1,5}[?#,]/.test(value)) return NOTHING;
  const isExample = matchEnd(EXAMPLE_HOST, text, end + 1) !== undefined;
  const isSecret = groups["user"] !== value && isRealPassword(value) && !isExample;
  return findingIf(isSecret, login, "url-password");
}

const USER_OPTION =
  /(?:-u|-U|-A|--user|--proxy-user|--?auth|-auth|--creds|--credentials)[ =](?<quote>\\{0,127}["'])?(?:[\w.-]{1,64}\\{1,4}(?=\w))?[^\s:"'\\$]{1,64}:(?<secret>[^\s"'\\:][^\s"'\\]{0,255})/dy;
const WEB_CLIENT = /(?:^|[\s;&|(`$"'/\\n])(?:curl|wget|https?|xh)[ \t]/;
/** Returns the text of the command before `at`, which may span several lines joined with backslashes. */
function commandBefore(text: string, at: number): string {
  const before = charsBefore(text, at, 400);
  let lineEnd = before.lastIndexOf("\n");
  while (lineEnd > 0 && /\\\r?$/.test(before.slice(Math.max(0, lineEnd - 2), lineEnd))) {
    lineEnd = before.lastIndexOf("\n", lineEnd - 1);
  }
  return before.slice(lineEnd + 1);
}

function findUserOption(scan: ScanText, at: number): readonly Finding[] {
  const secret = secretAt(USER_OPTION, scan.text, at);
  if (secret === undefined || /^\/\/|%[A-Z]/.test(secret.value) || !isRealPassword(secret.value)) return NOTHING;
  // With other programs it may be a group, a port or an image.
  const isSure = isMadeUp(secret.value) || WEB_CLIENT.test(commandBefore(scan.text, at));
  return findingIf(isSure, secret, "basic-auth");
}

function findBasic(scan: ScanText, at: number): readonly Finding[] {
  const start = at + "basic ".length;
  const end = scan.runEnd(BASE64, start);
  const value = scan.text.slice(start, Math.min(end, start + 400));
  if (!scan.startsWord(at) || value.length < 8) return NOTHING;
  const cut = scan.breaksOffAt(end) && /[0-9A-Z]/.test(value.slice(1));
  return findingIf(isEncodedLogin(value, cut), { start, end }, "basic-auth");
}

export const loginRules: readonly Rule[] = [
  { triggers: ["://", ":\\/", ":\\\\"], find: findUrlLogin },
  {
    triggers: "-u |-U |-A |-u=|--user |--user=|--proxy-user |-auth |-auth=|--creds |--creds=|--credentials ".split("|"),
    find: findUserOption,
  },
  { triggers: ["basic "], anyCase: true, find: findBasic },
];
