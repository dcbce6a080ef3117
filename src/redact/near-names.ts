/** Finds passwords chosen by people on a line that mentions one, with any text in between. */
import { type Name, withoutEnd } from "./assignment-syntax.ts";
import { BASE64_WORD } from "./char-set.ts";
import { type Finding, findingIf, NOTHING, secretAt } from "./finding.ts";
import { familyOf } from "./names.ts";
import { charsBefore, type ScanText } from "./scan-text.ts";
import {
  hasEquals,
  isChosen,
  isMadeUp,
  isRandom,
  isSpeaking,
  isTechnical,
  TECHNICAL,
  TECHNICAL_PART,
} from "./randomness.ts";
import { isStandIn, isThing, namesSecret } from "./placeholders.ts";
import type { Rule } from "./trigger-index.ts";
import { isLoginPassword } from "./values.ts";

const CHARS_BEFORE = 120;
const CHARS_AFTER = 160;
/** Line break, raw or escaped as in JSON. */
const LINE_BREAK = /[\r\n\0]|\\[nr](?![a-z]{3})/g;
/** Letters, digits and the special characters that are common in passwords. */
const WORD = /[A-Za-z0-9][\w!#$^&*+~?.-]{4,}/g;
const MAX_WORD = 31;
/** Longer literals are more likely to be ids than chosen passwords. */
const MAX_LITERAL = 16;

/** Returns true if the word looks like a chosen password, not like a word, an identifier or the name of a format. */
function isTyped(word: string): boolean {
  if (!/[a-z]/.test(word) || isSpeaking(word) || isThing(word) || /^[\da-f-]+$/.test(word)) return false;
  const parts = word.replaceAll(TECHNICAL, "").split(/[^A-Za-z\d]/);
  const own = parts.filter((part) => !TECHNICAL_PART.test(part)).join("-");
  const isLeet = /[A-Za-z]\d[a-z]/.test(own) && /[A-Z!#$^&*]/.test(word) && own.length >= 7;
  const isJoined = parts.length <= 5 && /[a-z][-_!#*][A-Z]/.test(word) && /[a-z]-+[A-Z]/.test(own) && /\d/.test(own);
  const isSpiced =
    /[A-Za-z\d]{4}[!#^*+][\w!#^*+.]{0,8}$|^[\w.]{3,}[!#^*][\w!#^*]{2,}$/.test(word) &&
    /\d/.test(own) &&
    own.length >= 6;
  // Ids such as `call_…` are excluded.
  return (isLeet || isSpiced || (isJoined && !word.includes("."))) && !/^[a-z]+_\w{16}/.test(word);
}

/** Returns the part of the line around `start` and `end` that has not been searched yet. */
function lineAround(
  scan: ScanText,
  start: number,
  end: number,
  seenTo: number,
): { from: number; to: number } | undefined {
  const { text } = scan;
  if (end <= seenTo) return undefined;
  const first = Math.max(seenTo, start - CHARS_BEFORE);
  const breaks = Array.from(text.slice(first, start).matchAll(LINE_BREAK), ({ index, 0: sign }) => index + sign.length);
  const after = text.slice(end, end + CHARS_AFTER);
  const from = first + (breaks.at(-1) ?? 0);
  const to = end + (after.matchAll(LINE_BREAK).next().value?.index ?? after.length);
  return { from, to };
}

/** Lines that need no search: the secret is redacted already, named by an ARN, or encrypted (`ENC[…]`). */
const SETTLED = /\[REDACTED:|arn:aws|\bENC[[(]/;

/** Finds likely passwords on the line of `name`, or on the next line if there is nothing else on it. */
export function findNear(scan: ScanText, { text: name, start, end }: Name): readonly Finding[] {
  // `pass` is more often a verb than a password.
  if (/^pass$/i.test(name)) return NOTHING;
  const line = lineAround(scan, start, end, scan.seenTo.near);
  if (line === undefined) return NOTHING;
  scan.seenTo.near = line.to;
  const { text } = scan;
  if (SETTLED.test(text.slice(line.from, line.to))) return NOTHING;
  const found = [...wordsIn(text, line.from, start, false), ...wordsIn(text, end, line.to, false)];
  return found.length > 0 ? found : belowLabel(text, { from: line.from, at: end });
}

/** A literal in code, and the beginning of the comment after it. */
const COMMENTED = /["'](?<secret>[^"'`\s\\]{6,256})["'][^"'`\n]{0,40}(?:#|\/\/|--|\/\*)[^\n"'`]{0,40}$/d;

/** Finds the literal before a comment with the name: `f("v")  # the password`. */
export function findBeforeComment(
  { text }: ScanText,
  { text: name, start: nameStart }: Name,
  kind: string,
): readonly Finding[] {
  const from = Math.max(0, nameStart - 320);
  const before = text.slice(from, nameStart);
  if (/^pass$/i.test(name)) return NOTHING;
  const comment = before.slice(-40);
  if (!/#|\/\/|--|\/\*/.test(comment)) return NOTHING;
  const literal = secretAt(COMMENTED, before, 0);
  if (literal === undefined) return NOTHING;
  const { start, end, value } = literal;
  const isSecret = isRandom(value, 16) || (kind === "password" && isMadeUp(value) && !isTechnical(value));
  return findingIf(isSecret && !isStandIn(value), { start: from + start, end: from + end }, kind);
}

/** Run of the characters of generated keys, on its own or in quotes or brackets. */
const KEY = /(?<=[\s"'`([{：「]|\skey=)(?!AAAA)[A-Za-z0-9+/_-]{20,200}={0,2}(?=$|[\s"'`)\]},;]|\.(?!\w))/g;
const LONG_RUN = /[A-Za-z0-9+/_-]{20}/;
/** Another name directly before a value, which then belongs to it. */
const OTHER_NAME = /[\w-]["'`]?[ \t]?[:=][ \t]?["'`({[]{0,8}$/;
const isMixed = (value: string): boolean =>
  /[A-Z]/.test(value) && /[a-z]/.test(value) && /\d/.test(value.replaceAll(TECHNICAL, ""));

/** Finds the first random value after `name` on its line that does not belong to another name. */
export function findKeyAfter(
  scan: ScanText,
  { end }: Pick<Name, "end">,
  kind: string,
  hex = false,
): readonly Finding[] {
  const after = scan.text.slice(end, end + CHARS_AFTER);
  const line = after.slice(0, after.matchAll(LINE_BREAK).next().value?.index ?? after.length);
  if (!LONG_RUN.test(line) || SETTLED.test(line)) return NOTHING;
  for (const { index, 0: value } of line.matchAll(KEY)) {
    // Ids such as `call_…` and `ses_…` are excluded.
    const between = line.slice(0, index);
    if (
      (OTHER_NAME.test(between) && !between.endsWith(" key=") && !(hex && /^[\p{L}\s:]*$/u.test(between))) ||
      /^(?:[a-z]{2,9}_|sha\d{1,3}-)/.test(value) ||
      namesSecret(value) ||
      isThing(value) ||
      isStandIn(value)
    )
      continue;
    if (!(isMixed(value) || (hex && /^[\da-f]{32,}$/.test(value))) || !isRandom(value, 20)) continue;
    const start = end + index;
    return [{ start, end: Math.max(start + value.length, scan.runEnd(BASE64_WORD, start)), kind, byContext: true }];
  }
  return NOTHING;
}

const MAX_COMMAND = 300;
/** A line with nothing else on it: the output of a command. */
const OUTPUT =
  /(?:#?=> )?["']?(?<secret>[^\s"'](?:[^\n"']{0,127}[^\s"'])?|[\w+/=.~!@#$%^&*?:-]{8,4096})["']?[ \t\r]{0,4}(?=\n|$)/dy;
const PROMPT = /^(?<prompt>[^\n]{0,60}?[$#%❯>:][ \t])?(?:sudo[ \t])?(?<program>\(?[A-Za-z][\w.-]{0,20})[ \t.()]/;
/** Commands that print one value. After a prompt, any command not in `NAMING` counts as well. */
const PRINTING =
  /^(?:kubectl|oc|terraform|tofu|vault|bao|aws|az|gh|glab|gcloud|op|pass|gopass|bw|doppler|heroku|fly|argocd|consul|wg|openssl|pwgen|bitcoin-cli|security|secret-tool|keyring|lpass|docker|podman)$/;
const NAMING =
  /^(?:git|ls|find|fd|grep|rg|ag|cd|sha\d{0,3}sum|md5sum|cksum|wc|stat|file|which|test|touch|mkdir|rm|cp|mv)$/;
/** Commands that print only the secret. */
const RAW =
  /base64 (?:-d|-D|--decode)|[- ]raw\b|-field[= ]|--fields[= ]\S{0,40}pass|--plain\b|--value-only|find-(?:generic|internet)-password[^|]{0,100} -w\b|\b(?:pass(?:age)?|gopass) (?:show (?:-\w )?)?[\w.@-]{0,40}[/.]|\bpass show|\bop read|\bbw get pass|\brbw get|(?:lpass|keepassxc-cli) show [^|]{0,80}-{0,1}pass|versions access|SecretString|-o(?:utput)? (?:text|tsv)\b|-decryption|printenv|echo "?\$|secret-tool lookup|keyring get|config(?: |:)get|git config [^|]{0,60}pass|chamber read -q|--extract|AsPlainText|\(\)\.Password|nmcli [^|]{0,40}-g/i;
const SECRET_FILE =
  /\b(?:cat|less|type|more|bat|gc|Get-Content) [^|\n]{0,100}(?:pass|pw|secret|token|cookie|\.key)[\w-]{0,20}(?:\.(?:txt|key|pw|dat))?["'\s]*$/;
/** A selected value that is not the secret. */
const PUBLIC_FIELD =
  /[.=/, :$](?:\w{1,20}[-_])?(?:user(?:name)?|host(?:name)?|port|email|database|dbname|url|arn|id|name|address|endpoint|region)["'`})\]]*[ \t]*(?:$|\||;|-)|\| ?(?:head|tail|wc|cut|sha\w*|md5\w*|grep|openssl|file)\b/i;
/** Messages, tables and other output of more than the value. */
const MESSAGE =
  /^(?:[{[<#$%>❯*+-]|error|warning|fatal|usage|no |cannot |can't |could not|unable|bash:|zsh:|command)|(?:^|\w) {0,20}:(?: |$)|[.:_]$|\b(?:not|is|are|was|found|failed|invalid|no such|the|to)\b|\$ |=> | {2}|^\S{1,40}@\S{1,60}:|^[\w./-]{1,100}\.\w{2,5}$/i;
const ID =
  /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{40}|\d[\d.:TZ+-]*|[\w.-]+\.[a-z]{2,6}|https?:\/\/[\w.-]+\/(?:secrets|keys)\/[\w./-]+)$/;

const isWholeOutput = (value: string): boolean =>
  !MESSAGE.test(value) && !ID.test(value) && value.split(" ").length <= 8 && isLoginPassword(value);

/** Finds the output, on the next line, of a command that reads or generates a secret. */
export function findOutput(
  { text }: ScanText,
  { start, end }: Pick<Name, "start" | "end">,
  kind: string,
): readonly Finding[] {
  const rest = text.slice(end, end + CHARS_AFTER);
  const lineEnd = rest.indexOf("\n");
  if (lineEnd < 0) return NOTHING;
  const output = secretAt(OUTPUT, text, end + lineEnd + 1);
  if (output === undefined) return NOTHING;
  const before = charsBefore(text, start, MAX_COMMAND);
  const line = before.slice(before.lastIndexOf("\n") + 1) + text.slice(start, end + lineEnd);
  const { program = "", prompt } = PROMPT.exec(`${line} `)?.groups ?? {};
  const value = output.value.slice(0, 256);
  // The value of an expression, as an interpreter prints it.
  if (/["']/.test(text.charAt(output.start - 1)) && /[\w)\]]["']?$/.test(line) && isMadeUp(value))
    return findingIf(true, output, kind);
  if (!PRINTING.test(program) && (prompt === undefined || program === "")) return NOTHING;
  const isFile = SECRET_FILE.test(line);
  const isRaw = isFile || (RAW.test(line) && !PUBLIC_FIELD.test(line));
  // Such a command prints nothing else, so that several words are a secret, too.
  if (isRaw && prompt !== undefined && !prompt.endsWith(": ") && isWholeOutput(value))
    return findingIf(true, output, kind);
  if (!/^[\w+/=.~!@#$%^&*?:-]{8,}$/.test(value) || !/^[a-z]/.test(program) || NAMING.test(program)) return NOTHING;
  // A container's id
  if (/^(?:docker|podman|nerdctl)$/.test(program) && /^[\da-f]{12,64}$/.test(value)) return NOTHING;
  const isSecret =
    (!ID.test(value) || line.trimEnd().endsWith("--show-secrets")) &&
    !/fingerprint/i.test(line) &&
    !/pubkey\b/i.test(line.slice(Math.max(line.lastIndexOf("|"), line.lastIndexOf(">")) + 1)) &&
    (isRandom(value, 12) ||
      (isRaw && ((/\d/.test(value) && /[a-z]/i.test(value)) || /^[a-z]+(?:[-.][a-z]+){2,}$/.test(value))) ||
      (kind === "password" && isChosen(value)));
  return findingIf(isSecret, output, kind);
}

/** Who says what follows: `ann: `, `**User:** `, `[14:03] <ann> `, `- A: ` */
const SPEAKER = String.raw`(?:[-*>][ \t])?(?:\[?\d[\d:.,TZ/ -]{3,28}(?:[AP]M)?\]?[ \t]{1,3})?(?:<[@+]?[\w.-]{1,24}>|\*{0,2}\p{L}[\p{L}\w.-]{0,24}(?: [\p{L}\w.-]{1,24})?\*{0,2}[:：>]\*{0,2})?[ \t]{0,12}`;
const END_OF_LINE = String.raw`[ \t]{0,4}(?=\r?\n|$)`;
/** Line below `Password:`. After a blank line it must be in a fence or indented. */
const BELOW = new RegExp(
  String.raw`["'\x60*]{0,3}[ \t]?[:：?]?[ \t]{0,4}\r?\n(?:\x60{3}\w{0,8}\r?\n|\r?\n(?=[ \t]{2}))?${SPEAKER}["'\x60]?(?<secret>[\w!#$^&*+~?.-]{5,16})["'\x60]?${END_OF_LINE}`,
  "duy",
);
/** The answer to a question or a request, also as the next message in JSON. */
const ANSWER = new RegExp(
  String.raw`(?:["'\x60*)<]{0,3}[ \t]{0,4}\r?\n(?:[ \t]{0,8}\r?\n(?=[^\n]{0,60}(?:[:：>]\*{0,2} |\d:\d\d)))?(?:${SPEAKER}[\p{L},!.]{1,16}\r?\n|[\p{L} ]{2,40} \d?\d:\d\d(?: [AP]M)?\r?\n)?${SPEAKER}|\\{0,3}"[\s}]{0,20},[\s{]{0,20}(?:\\{0,3}"\w{1,16}\\{0,3}": ?\\{0,3}"\w{1,24}\\{0,3}", ?){0,3}\\{0,3}"(?:content|text|answer|message|reply|value)\\{0,3}": ?(?=\\{0,3}"))(?:(?:sure|ok|yes|here|it['’]?s|it is|that['’]s)[,:]? ){0,2}\\{0,3}["'\x60]?(?<secret>[^\s"'\x60<>|\\]{6,64})(?:\\{0,3}["'\x60]|${END_OF_LINE})`,
  "diuy",
);
const ASKING =
  /[?？]|(?<!\p{L})(?:tell|share|send|give|need|provide|please|bitte|nenne|brauche|donne[rz]?|envoie|dime|manda|dammi|preciso)(?!\p{L})/iu;

/** Finds the value on the line below `Password:`, and in the answer to a question about a password. */
function belowLabel(text: string, { from, at }: { from: number; at: number }): readonly Finding[] {
  const rest = text.slice(at, at + CHARS_AFTER);
  const to = at + rest.search(/[\r\n]|\\{0,3}"|$/);
  const answer =
    secretAt(BELOW, text, at) ?? (ASKING.test(text.slice(from, to)) ? secretAt(ANSWER, text, to) : undefined);
  if (answer === undefined) return NOTHING;
  const word = withoutEnd(answer.value, ".");
  const isSecret = (isTyped(word) || isChosen(word) || hasEquals(word)) && !isThing(word) && !isStandIn(word);
  return findingIf(isSecret, { start: answer.start, end: answer.start + word.length }, "password");
}

/** `"username":"word"` */
const USER_KEY = /(?:user(?:[-_]?name)?|login)\\{0,7}["']?[ \t]?[:=][ \t]?\\{0,7}["']?$/i;
/** `user:word`, `user / word` */
const AFTER_USER = /(?:^|[\s"'`([=,>])(?!sha\d)[A-Za-z][\w.@+-]{1,40}(?::| \/ )$/;

/** `"job":"word"`, `"job":"name:word"` */
const OTHER_KEY = /(?<![\w-])(?<key>[\w-]{1,40})\\{0,7}["'][ \t]?:[ \t]?\\{0,7}["'](?:[\w.-]{1,40}:)?$/;
/** Keys whose values are of any kind. */
const ANY_KEY = /val(?:ue)?$|^(?:default|data|text|content|command|cmd|args?|input|output|result|key)$/i;

/** Returns true for the value of a key that says nothing of secrets. */
function belongsToOtherKey(before: string): boolean {
  // Most words follow no quote; the expression would be tried at each character.
  if (!/["']/.test(before)) return false;
  const key = OTHER_KEY.exec(before)?.groups?.["key"];
  return key !== undefined && !ANY_KEY.test(key) && familyOf(key) === undefined;
}

/** Returns likely passwords in a part of the text; with `bounded` only whole literals and those after a user's name. */
function wordsIn(text: string, from: number, to: number, bounded: boolean): Finding[] {
  const found: Finding[] = [];
  for (const { index, 0: match } of text.slice(from, to).matchAll(WORD)) {
    const word = withoutEnd(match, ".?~");
    // Every password that is found without a tie to the name has one of them.
    if (!/\d|-[A-Z]/.test(word)) continue;
    const start = from + index;
    const end = start + word.length;
    const next = text.slice(end, end + 2);
    const before = text[start - 1] ?? "";
    const isPair = AFTER_USER.test(charsBefore(text, start, 48));
    const isLiteral =
      word.length <= MAX_LITERAL &&
      /["'`]/.test(isPair ? (/["'`](?=[^"'`]*$)/.exec(charsBefore(text, start, 48))?.[0] ?? "") : before) &&
      /^(?:\\{0,3}["'`]|\\n)/.test(text.slice(end, end + 4));
    if (USER_KEY.test(charsBefore(text, start, 32))) continue;
    // Part of a path, an address, a call or an HTML entity.
    if (before === "<" && next.startsWith(">") && /[,=]/.test(text.charAt(start - 2))) continue;
    if (/^\\{0,3}["'] ?:/.test(text.slice(end, end + 6))) continue;
    if (word.length > MAX_WORD || /[\w./\\@&#$%~-]/.test(before) || /^(?:[(/=]|\.\w|:\/)/.test(next)) continue;
    if (isPair ? /^@\^?\d/.test(next) : (bounded && !isLiteral) || next.startsWith("@")) continue;
    if (belongsToOtherKey(charsBefore(text, start, 96))) continue;
    // An id of something else, a number in a drawing.
    if (/(?:Id|ID|_id)["']?[:=] ?["']?$/.test(charsBefore(text, start, 16)) || /^-?\d+\.\d+-?[\dA-Za-z]/.test(word))
      continue;
    const isLogin = isPair && isLiteral && isMadeUp(word) && !isTechnical(word) && !isThing(word);
    const isSubject =
      /^["'`]? (?:is|was|ist|war|as|als|como|comme|come|jako|som) [^.;:=]{2,24}$/.test(
        text.slice(end, Math.min(to, end + 32)),
      ) && isChosen(word);
    if (isLogin || isTyped(word) || isSubject) found.push({ start, end, kind: "password", byContext: true });
  }
  return found;
}

/** Finds literals, and passwords after a user's name, on lines about logins or encryption. */
function findBounded(scan: ScanText, at: number): readonly Finding[] {
  const line = lineAround(scan, at, at + 1, scan.seenTo.pairs);
  if (line === undefined) return NOTHING;
  scan.seenTo.pairs = line.to;
  return SETTLED.test(scan.text.slice(line.from, line.to)) ? NOTHING : wordsIn(scan.text, line.from, line.to, true);
}

/** User and password in a sentence about a login: `anna / v`, `as ann@x.io with v`, `mit admin und v`. */
const PAIR =
  /[`"'„“«(]?(?!(?:you|it|me|us|the|a|an|this|them|use[drs]?|users|access|works?|log|login|logged|sign|signed|credentials?|and|or|in|as|to|for|do|be|page|form)\b)[\w@+-][\w.@+\\-]{1,63}[`"'”“»]?(?: \/ |:|(?<=^creds?(?:entials)?:? [\w.@-]{2,40}) | (?:and|with|und|mit|y|con|et|avec|e|com|en|met|i|z|и|с|ve|ile) (?:(?:the|la|le|a|o|il|lo|het|dem|das|mot|de) ){0,3}(?:[\p{L}-]{2,14}:? )?)[`"'„“«「]?(?<secret>[^\s"'`,;()「」„“”«»/:]{5,64})(?![/:(])/duy;

/** Maximum length of a user name, or of `name:password` in one word. */
const LONGEST_USER = 80;

function findPairs(scan: ScanText, at: number): readonly Finding[] {
  // A word that only ends like a trigger: `repo_root / name`.
  if (at < scan.seenTo.logins || scan.text[at - 1] === "_") return NOTHING;
  const [first = "", ...next] = scan.text.slice(at, at + CHARS_AFTER).split(/(\r?\n|\\n)/, 3);
  // The answer to a question is on the next line.
  const line = first.endsWith("?") ? first + next.join("") : first;
  const hasSlash = line.includes(" / ");
  // `use` and `try` are common words.
  if (!hasSlash && (/^(?:use|try) /i.test(line) || !/\d/.test(line))) return NOTHING;
  if (SETTLED.test(line)) return NOTHING;
  scan.seenTo.logins = at + CHARS_AFTER / 4;
  for (const { index, 0: word } of line.matchAll(/\S+/g)) {
    if (word.length > LONGEST_USER) break;
    const secret = secretAt(PAIR, line, index);
    if (secret === undefined) continue;
    const start = at + secret.start;
    const value = withoutEnd(secret.value, ".!?*");
    const isWords = line.startsWith("/ ", secret.start - 2) && /^[a-z]{4,}\.[a-z]{3,}$/.test(value);
    if ((value.includes("=") && !hasEquals(value)) || /^[A-Z\d]{4,10}$/.test(value)) continue;
    if (/^[\da-f]{7,}$|^v?\d+\.|@\w+\.\w|\\/.test(value) || isStandIn(value) || isThing(value)) continue;
    if (isWords || ((isChosen(value) || isMadeUp(value)) && !isTechnical(value)))
      return findingIf(true, { start, end: start + value.length }, "password");
  }
  return NOTHING;
}

const LOGIN_WORDS =
  "basic auth is|basic auth:|basic-auth:|webgui|vpn:|web ui|web interface|log in|logging in|logged in|login |login:|logins|sign in|signing in|credential|creds|admin / |root / |use |try |melde |anmeld|einlogg|zugang|credenc|credenz|entre com |connecte|connexion|identifiant|identifie|" +
  "entra |entrar |inicia |accede|accedi|acceso|acesso|accesso |inlog|zaloguj|logowan|" +
  "войди|Войди|зайди|Зайди|вход|Вход|логин|Логин|登录 |登录：|ログイン|로그인|giriş|Giriş";
/** Commands that generate or print a key. */
const PRINTING_KEYS =
  "genkey|genpsk|rand -base64|rand -hex|pwgen |dumpprivkey|op read|rbw get |-field=|keyring get|lookup |versions access";
/** Words on lines about logins or encryption. */
const ACCESS_WORDS =
  "auth(|auth=|auth:|auth\"|auth'|auth,|_auth|cred|login|userpass|btoa|b64|base64|proxy|rsync|dsn|smarthost|relay|ftp:|crypt|digest|hmac|cipher|secretkeyspec|securestring|smtp|imap(";

export const nearRules: readonly Rule[] = [
  { triggers: ACCESS_WORDS.split("|"), anyCase: true, find: findBounded },
  {
    triggers: PRINTING_KEYS.split("|"),
    find: (scan, at) => findOutput(scan, { start: at, end: at + 6 }, "secret"),
  },
  { triggers: LOGIN_WORDS.split("|"), anyCase: true, find: findPairs },
];
