/** Finds credentials with a known form, from a fixed part anywhere in them. */
import { BEARER, inSet, URL_SAFE_DOT } from "./char-set.ts";
import { type Finding, NOTHING } from "./finding.ts";
import { type ScanText, withoutDots } from "./scan-text.ts";
import type { Rule } from "./trigger-index.ts";
import { isPadding } from "./placeholders.ts";

interface Shape {
  kind: string;
  triggers: readonly string[];
  /** Sticky. Only the group `secret` is replaced, if there is one. Bounded, so that it takes constant time. */
  pattern: RegExp;
  options: ShapeOptions;
}

interface ShapeOptions {
  /** Maximum characters of the match before the trigger; the exact number if `exact` is set. */
  before?: number;
  exact?: boolean;
  /** A letter or digit may stand directly before the match. */
  anywhere?: boolean;
  /** Sticky. Matches the beginning of a credential that was cut off. */
  cut?: RegExp;
}

const shape = (
  kind: string,
  triggers: string | readonly string[],
  pattern: RegExp,
  options: ShapeOptions = {},
): Shape => ({ kind, triggers: typeof triggers === "string" ? triggers.split("|") : triggers, pattern, options });

const hexDigits = [..."0123456789abcdef"];
/** First characters of a Discord id in base64: three digits are four characters of these sets. */
const discordStarts = [..."MNO"].flatMap((first) =>
  [..."DTjz"].flatMap((second) => [..."AEIMQUYcgk"].map((third) => first + second + third)),
);

/** Prefixes of keys that are a UUID: HubSpot, LaunchDarkly, Axiom, WakaTime, Persona, Amazon MWS, Checkout, … */
const UUID_KEY_PREFIXES =
  "pat-na1- pat-na2- pat-eu1- api- sdk- rel- xaat- xapt- waka_ waka_sec_ persona_production_ persona_sandbox_ amzn.mws. rh-api- sk_test_ sk_live_ sk_sbox_ ctx7sk-";

const shapes: readonly Shape[] = [
  shape(
    "uuid-key",
    UUID_KEY_PREFIXES.split(" "),
    /[A-Za-z][\w.]{2,20}[-_.](?:(?:na|eu)\d-|sec_)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![\w-])/y,
  ),
  // Lob, Mollie, GoCardless.
  shape(
    "live-key",
    "live_|test_",
    /(?<!\w)(?:live|test)_(?:[0-9a-f]{35}|(?=[a-z0-9]{0,29}[A-Z])[A-Za-z0-9]{30}|(?=[a-z0-9_-]{0,39}[A-Z])(?=[A-Za-z_-]{0,39}\d)[\w-]{40})(?![\w-])/y,
  ),
  shape("voyage-key", "pa-|al-", /(?:pa|al)-(?=[a-z0-9_-]{0,42}[A-Z])[\w-]{43}(?![\w-])/y),
  shape("square-token", "EAAA", /(?<![\w+/-])EAAA[\w-]{60}(?![\w+/=-])/y),
  shape("facebook-token", "EAA", /(?<![\w+/-])EAA[A-Z][A-Za-z0-9]{90,400}(?![\w+/=-])/y),
  shape("cloudflare-origin-key", "v1.0-", /v1\.0-[0-9a-f]{24}-[0-9a-f]{146}/y),
  // Three letters start many random values, so that the length decides.
  shape("crates-token", "cio", /cio[A-Za-z0-9]{32}(?![\w+/=-])/y),
  shape("clickhouse-key", "4b1d", /4b1d(?=\w{0,37}[G-Zg-z])[A-Za-z0-9]{38}(?!\w)/y),
  shape("maxmind-key", "_mmk", /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk/y, { before: 36, exact: true }),
  shape("harness-token", "pat.|sat.", /[ps]at\.[\w-]{22}\.[0-9a-f]{24}\.\w{20}/y),
  shape("infisical-token", "st.", /st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}/y),
  shape("voiceflow-key", "VF.", /VF\.(?:(?:DM|WS)\.)?[0-9a-fA-F]{24}\.\w{16}/y),
  shape("telnyx-key", "KEY", /KEY[0-9A-F]{32}_[A-Za-z0-9]{22}/y),
  shape("yandex-token", "t1.", /t1\.[\w-]{10,200}={0,2}\.[\w-]{86}/y),
  shape("baidu-key", "bce-v3/", /bce-v3\/ALTAK-\w{16,30}\/[0-9a-f]{40}/y),
  shape("rancher-token", "token-", /token-[a-z0-9]{5}:[a-z0-9]{50,60}/y),
  shape(
    "kubeadm-token",
    "--token |--token=|token: ",
    /(?:--)?token(?::? |=)"?(?<secret>(?=[a-z.]{0,22}\d)[a-z0-9]{6}\.[a-z0-9]{16})(?![\w.])/dy,
    { anywhere: true },
  ),
  shape("k3s-token", "K10", /K10[0-9a-f]{64}::\w{1,20}:[\w.-]{8,80}/y),
  shape("clickup-token", "pk_", /pk_\d{5,9}_[A-Z0-9]{32}/y),
  shape("fcm-key", ":APA91b", /[\w-]{11}:APA91b[\w-]{100,200}/y, { before: 12 }),
  shape("twitch-token", "oauth:", /oauth:(?<secret>(?=[a-z]{0,29}\d)[a-z0-9]{30})(?!\w)/dy),
  shape("stripe-client-secret", "_secret_", /(?:pi|seti)_[A-Za-z0-9]{14,28}_secret_[A-Za-z0-9]{20,30}/y, {
    before: 32,
  }),
  shape("new-relic-key", "FFFFNRAL", /[0-9a-f]{32}FFFFNRAL/y, { before: 32, exact: true }),
  shape("new-relic-key", "eu01xx", /eu01xx[0-9a-f]{26,36}(?:FFFF)?NR(?:AL|MA)/y),
  // Azure puts these strings into its keys so that they can be detected.
  shape("azure-key", "JQQJ99", /[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{20,28}/y, { before: 52, exact: true }),
  shape("azure-key", "AZDO", /[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}/y, { before: 76, exact: true }),
  shape("azure-key", "+ASt|ACDb", /[\w+/]{76}(?:\+ASt|ACDb)[\w+/]{5,6}==/y, { before: 76, exact: true }),
  shape("azure-key", "+ACR", /[A-Za-z0-9+/]{42}\+ACR[A-Za-z0-9]{6}(?![\w+/=-])/y, { before: 42, exact: true }),
  shape("azure-key", "AzSe", /[A-Za-z0-9]{42}AzSe[A-Za-z0-9]{6}/y, { before: 42, exact: true }),
  shape(
    "webhook",
    "hooks.zapier.com/|maker.ifttt.com/|.make.com/|/bot/v2/hook/|/webhook/send?key=",
    /(?:hooks\.zapier\.com\/hooks\/(?:catch|standard)|maker\.ifttt\.com\/[\w/]{1,80}\/key|\.make\.com|\/bot\/v2\/hook|\/webhook\/send\?key=)\/?(?<secret>[\w/-]{14,80})/dy,
    { anywhere: true },
  ),
  shape(
    "discord-token",
    discordStarts,
    /(?:[MNO][DTjz][AEIMQUYcgk][wxyz0-5]){5,7}[\w-]{0,3}\.[\w-]{6}\.[\w-]{20,45}/y,
    { cut: /(?:[MNO][DTjz][AEIMQUYcgk][wxyz0-5]){4,7}[\w-]{0,3}(?:\.[\w-]{0,6}(?:\.[\w-]{0,45})?)?/y },
  ),
  shape("discord-webhook", "/webhooks/", /\/webhooks\/(?<secret>\d{15,21}\/[\w-]{30,100})/dy, { anywhere: true }),
  shape("telegram-token", ":AA", /\d{8,12}:AA[\w-]{30,40}/y, {
    before: 12,
    anywhere: true,
    cut: /\d{8,12}:AA[\w-]{4,40}/y,
  }),
  shape(
    "slack-webhook",
    "hooks.slack.com/",
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[\w/-]{16,120})/dy,
  ),
  shape("teams-webhook", ".office.com/webhook", /\.office\.com\/(?<secret>webhook(?:b2)?\/[\w@/-]{40,300})/dy, {
    anywhere: true,
  }),
  shape("teams-webhook", "/IncomingWebhook/", /\/IncomingWebhook\/(?<secret>[0-9a-f]{32}\/[\w/-]{36,120})/dy, {
    anywhere: true,
  }),
  shape("private-key", "Private-MAC:", /Private-MAC: ?(?<secret>[0-9a-f]{40,64})/dy, { anywhere: true }),
  // Private address of a calendar
  shape("url-token", "/private-", /\/private-(?<secret>[0-9a-f]{32})(?!\w)/dy, { anywhere: true }),
  shape(
    "mailgun-key",
    "mailgun|Mailgun|MAILGUN",
    /\w{7}[^\n]{0,60}?(?<secret>\b[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b/dy,
    { anywhere: true },
  ),
  shape("opsgenie-key", "GenieKey ", /GenieKey (?<secret>[0-9a-f]{8}-[0-9a-f-]{27})/dy),
  shape("sendgrid-key", "SG.", /SG\.[\w-]{16,32}\.[\w-]{16,64}/y, {
    cut: /SG\.(?=[\w-]{0,40}(?:\d|[a-z][A-Z]))[\w-]{8,32}(?:\.[\w-]{0,64})?/y,
  }),
  shape(
    "twilio-key",
    hexDigits.map((digit) => `SK${digit}`),
    /SK[0-9a-f]{32}(?![0-9A-Za-z])/y,
  ),
  shape(
    "azure-client-secret",
    [..."0123456789"].map((digit) => `${digit}Q~`),
    /[\w.~-]{3}\dQ~[\w.~-]{30,36}/y,
    { before: 3 },
  ),
  shape("mailchimp-key", "-us", /[0-9a-f]{32}-us\d{1,2}(?![\w-])/y, { before: 32, exact: true }),
  shape("terraform-token", ".atlasv1.", /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,80}/y, { before: 14, exact: true }),
  shape("airtable-token", "pat", /pat[A-Za-z0-9]{14}\.[0-9a-f]{40,64}/y),
  shape("resend-key", "re_", /re_(?=[A-Za-z_]{0,36}\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{22,28}(?!\w)/y),
  shape("1password-secret-key", "A3-", /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}/y),
  shape("salesforce-token", "00D", /00D[A-Za-z0-9]{12,15}![\w.]{60,140}/y),
  shape("zoho-token", "1000.", /1000\.[0-9a-f]{32}\.[0-9a-f]{32}/y),
  shape("nuget-key", "oy2", /oy2[a-z0-9]{43}(?![A-Za-z0-9])/y),
  shape("password-hash", "$1$|$5$|$6$", /\$[156]\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[\w./-]{22,128}/y, {
    anywhere: true,
  }),
  shape("password-hash", "$2a$|$2b$|$2x$|$2y$", /\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}/y, { anywhere: true }),
  shape("password-hash", "$P$|$H$", /\$[PH]\$[./A-Za-z0-9]{31}/y, { anywhere: true }),
  shape(
    "password-hash",
    "$apr1$|{SSHA|{SHA}",
    /(?:\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{27,100}={0,2})/y,
    { anywhere: true },
  ),
  shape(
    "password-hash",
    "$argon2|$y$",
    /\$(?:argon2(?:id|i|d)\$v=\d{1,3}\$m=\d{1,9},t=\d{1,5},p=\d{1,5}|y\$[\w./]{1,8})\$[\w+/.]{8,90}\$[\w+/.]{16,120}/y,
    { anywhere: true },
  ),
  shape(
    "rpc-key",
    ".infura.io/|.alchemy.com/v2/|.alchemyapi.io/v2/|.quiknode.pro/|rpc.ankr.com/",
    /(?:\.infura\.io\/(?:ws\/)?v3|\.alchemy(?:api)?\.(?:com|io)\/v2|\.quiknode\.pro|rpc\.ankr\.com\/\w{2,20})\/(?<secret>(?=[A-Za-z_-]{0,31}\d)[\w-]{32,64})(?![\w-])/dy,
    { anywhere: true },
  ),
  shape("url-token", "?appid=|&appid=", /[?&]appid=(?<secret>[0-9a-f]{32})(?!\w)/dy, { anywhere: true }),
  shape("google-oauth", "4/0A", /4\/0A[\w-]{40,120}/y),
  shape("okta-token", "SSWS ", /SSWS (?<secret>00[\w-]{40})(?![\w-])/dy),
  // Secret next to the id of its key
  shape(
    "aws-secret-key",
    "AKIA|ASIA",
    /A[KS]IA(?!IOSFODNN7)[A-Z0-9]{16}[^\w/]{1,24}(?:\w{1,30}[^\w/]{1,8}){0,9}(?<secret>(?=[a-z0-9+/]{0,39}[A-Z])(?=[A-Z0-9+/]{0,39}[a-z])[A-Za-z0-9+/]{40})(?![\w+/=])/dy,
  ),
  shape("signature", "Signature=", /Signature=(?<secret>[0-9a-f]{40,128})/dy),
];

/** Returns a match that starts at `start` and includes the trigger at `at`. */
function matchOver(pattern: RegExp, text: string, start: number, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  return match !== null && pattern.lastIndex > at ? match : undefined;
}

function findShape({ kind, pattern, options }: Shape, scan: ScanText, at: number): readonly Finding[] {
  const { before = 0, exact = false, anywhere = false, cut } = options;
  const { text } = scan;
  const last = exact ? at - before : at;
  for (let start = Math.max(0, at - before); start <= last; start++) {
    if (!anywhere && !scan.startsWord(start)) continue;
    const whole = matchOver(pattern, text, start, at);
    const part = whole === undefined && cut !== undefined ? matchOver(cut, text, start, at) : undefined;
    const match = whole ?? (part !== undefined && scan.breaksOffAt(start + part[0].length) ? part : undefined);
    if (match === undefined) continue;
    const [from, to] = match.indices?.groups?.["secret"] ?? [start, start + match[0].length];
    return isPadding(text.slice(from, to)) ? NOTHING : [{ start: from, end: to, kind }];
  }
  return NOTHING;
}

/** Beginning of a decoded JOSE header. */
const JOSE_HEADER = /^\s*\{.*"(?:alg|typ|kid|enc|cty|x5t|jku|jwk)"\s*:/s;
/** Length of `{"alg":` in base64url, so that prose about `eyJ` does not match. */
const SHORTEST_CUT_JWT = 12;
/** Maximum characters of a header that are decoded to detect it. */
const HEADER_CHARS = 400;

function findJwt(scan: ScanText, at: number): readonly Finding[] {
  const { text } = scan;
  if (!scan.startsWord(at)) return NOTHING;
  const runEnd = scan.runEnd(URL_SAFE_DOT, at);
  const end = withoutDots(text, at, runEnd);
  const header = text.slice(at, Math.min(end, at + HEADER_CHARS)).split(".", 1)[0] ?? "";
  if (!JOSE_HEADER.test(Buffer.from(header, "base64url").toString("utf8"))) return NOTHING;
  const length = end - at;
  const whole = length > header.length + 8;
  const cut = length >= SHORTEST_CUT_JWT && (scan.breaksOffAt(end) || scan.breaksOffAt(runEnd));
  return whole || cut ? [{ start: at, end, kind: "jwt" }] : NOTHING;
}

/** Finds a token after `Bearer` that no other rule names: a long one that is not a word. */
function findBearer(scan: ScanText, at: number): readonly Finding[] {
  const { text } = scan;
  let start = at + "bearer".length;
  if (!scan.startsWord(at) || text[start] !== " ") return NOTHING;
  while (text[start] === " " && start - at < 12) start++;
  if (!inSet(BEARER, text.charCodeAt(start))) return NOTHING;
  const end = scan.runEnd(BEARER, start);
  const value = text.slice(start, Math.min(end, start + 200));
  const mixed = /[0-9]/.test(value) && /[A-Za-z]/.test(value);
  const long = value.length >= 16 && (mixed || (value.length >= 24 && /[a-z][A-Z]+[a-z]+[A-Z]/.test(value)));
  const cut = value.length >= 6 && mixed && scan.breaksOffAt(end);
  return long || cut ? [{ start, end, kind: "bearer-token", byContext: true }] : NOTHING;
}

export const shapedRules: readonly Rule[] = [
  ...shapes.map((each) => ({
    triggers: each.triggers,
    find: (scan: ScanText, at: number) => findShape(each, scan, at),
  })),
  { triggers: ["eyJ", "ewogI"], find: findJwt },
  { triggers: ["bearer "], anyCase: true, find: findBearer },
];
