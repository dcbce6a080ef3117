/**
 * Finds the value of a sensitive name that is not assigned with a sign: in sentences, markup, tables, calls and on the
 * next line.
 *
 * Each word after the name is a candidate. The text in between ties it to the name: by a sign or a word such as "is",
 * by its place directly after a label, by quotes, by a line of its own. The weaker the tie, the more the candidate must
 * look chosen; what names a thing (a path, a version, a ticket) is never the value.
 */
import { type Assigned, type Name, UNLIKE_CODE, valueAt, withoutEnd } from "./assignment-syntax.ts";
import { BASE64_WORD } from "./char-set.ts";
import { isThing } from "./placeholders.ts";
import { hasEquals, isChosen, isMadeUp, isRandom, isTechnical } from "./randomness.ts";
import type { NameFamily } from "./names.ts";
import { charsBefore, matchEnd, type ScanText } from "./scan-text.ts";

/** Syntaxes in which only the value can follow, whatever it looks like. */
const SURE = [
  // `[NAME] => v` of PHP
  String.raw`\][ \t]{0,2}=>[ \t]{0,2}`,
  // `NAME { get; set; } = "v"`, `variable "NAME" { … default = "v" }`, `"NAME": {"type": "string", "value": "v"}`
  String.raw`\\{0,63}["']?[ \t]{0,4}(?::|=>?)?[ \t]{0,4}\{[^{}]{0,300}?(?:\b(?:default|value)\\{0,7}["']?[ \t]{0,12}[:=]|\}[ \t]{0,4}=)[ \t]{0,4}(?=[@$]?\\{0,63}["'])`,
  // `getenv("NAME", default="v")`
  String.raw`\\{0,63}["'][ \t]{0,2},[ \t\n]{0,20}(?:default|fallback|defaultValue|default_value)[ \t]?[=:][ \t]?(?=\\{0,63}["'])`,
  // `env("NAME", "v")`, `fetch("NAME") { "v" }`
  String.raw`(?<=(?:env|environ\.get|fetch)\(\\{0,63}["'][\w.]{1,60})\\{0,63}["'](?:,[ ]?|\)[ \t]{0,2}\{[ \t\n]{0,20})(?=\\{0,63}["'])`,
  // SQL: `PASSWORD 'v'`, `SET PASSWORD FOR 'ann'@'%' = 'v'`
  String.raw`(?:[ \t]for[ \t][^\s=]{1,60}[ \t]?=[ \t]?(?:password\()?|[ \t]{1,4})(?=\\{0,127}')`,
  // Redis: name and value as replies
  String.raw`"(?:\r?\n|\\n)2\) (?=\\{0,7}")`,
  // Part of a multipart form
  String.raw`(?<=form-data;[ ]{0,2}name=\\{0,7}["'][\w-]{1,60})\\{0,63}["'](?:;[^\n]{0,60})?(?:(?:\\r)?\\n|\r?\n){2}`,
  // `#define NAME "v"`
  String.raw`(?<=#define[ \t]{1,4}\w{1,60})[ \t]{1,40}(?=\\{0,63}")`,
  // .netrc
  String.raw`(?<=(?<![\w/])login[ \t]\S{1,80}\s{1,8}(?:password|secret))[ \t](?=\S)`,
  // Block of YAML
  String.raw`:[ \t]{0,4}[|>][+-]?[ \t]{0,4}\r?\n[ \t]{1,40}(?=[^\s#-])`,
  // A router's `username ann password 7 v`
  String.raw`[ \t][05-9][ \t](?=\S{4,128}[ \t]{0,4}(?:[\r\n]|$))`,
];
const SURE_JOINT = new RegExp(SURE.join("|"), "iy");

/** The same in tags, which all have one of these signs soon after the name. */
const SURE_IN_TAG = [
  // `name="NAME" type="text" value="v"`
  String.raw`\\{0,63}["'][^<>\n]{0,60}\bvalue=(?=\\{0,63}["'])`,
  // `<property name="NAME">v</property>`, `<key>NAME</key><string>v</string>`
  String.raw`(?:\\{0,7}["'][^<>\n]{0,60}(?<![%=/-])>(?:<!\[CDATA\[)?|</key>\s{0,12}<string>|>\s{1,40}<value>)(?=[^\s<>"'\\\]]{4,128}(?:\]\]>)?</)`,
];
const SURE_JOINT_IN_TAG = new RegExp(SURE_IN_TAG.join("|"), "iy");
const TAG_SIGN = />|value=/i;
const CHARS_OF_TAG = 140;

/** Words directly before a value in several languages: "is", "now", "to" and the like. */
const TELLING = new Set(
  (
    "is was are were now it's from = := => -> → - – — ist lautet lautete war sind sei auf zu jetzt nun heißt es son era ahora será por foi será são para agora é a " +
    "est était sera maintenant devient en à è era ora sarà diventa in to was wordt nu naar jest był to na teraz это теперь на стал är blev till " +
    "er til ole nyt je byl este acum olarak oldu şimdi suivante siguiente seguinte gesetzt là adalah sont"
  ).split(" "),
);
/** Telling words with other meanings, which need a verb of change on the line. */
const AMBIGUOUS = /^(?:to|from|in|a|en|es|on|na|la)$/;
const CHANGING = /chang|set|updat|rotat|switch/i;
const CHANGING_ABROAD = /chang[eé]|änder|setz|cambi|troqu|muda|modifi|wijzig|zmieni|смени|измени|değiş/i;
/** `ssh root@h, pass v`, `with password v`, `enter password v` */
const ASIDE =
  /(?:[,(;:][ \t]{0,2}(?:\w{1,12}[ \t]){0,2}|\b(?:and|with|und|mit|et|avec|y|con|e|com|en|met|the|use|using|type|enter|new|your|got|created|generated|issued|added|registered|rotated)[ \t]{1,2}(?:\w{1,12}[ \t]){0,2})$/i;
/** A name at the start of a line, of a cell or after a line number. */
const LABEL = /(?:^|[\n|])[ \t+>*`-]{0,20}(?:\d{1,6}[ \t]{1,4}|\/[\w./-]{0,40}|(?:[A-Za-z][\w-]{0,24}[ \t]){0,3})$/;
/** Rest of the tag whose attribute is the name. */
const REST_OF_TAG = /:?(?:\\{0,63}["'][^<>\n]{0,60}(?<![%=/-])>|[ ][\w:]{1,20}=[^<>\n]{1,60}>)/y;
/** Next word, with the signs before it. Tags are signs. */
const WORD =
  /(?<gap>(?:<-|<\/?[A-Za-z][^<>\n]{0,60}>|<!\[CDATA\[|\\{1,7}["'nrt](?![a-z]{3})|[\s,;:=>|()[\]{}*_"'`„“”«»「」『』：→›.–—是为為はをがも이은는를을-]){0,60})(?<word>[^\s"'`„“”«»「」『』<>|\\,;]{1,128})/uy;
/** Longer words are read to their end only if they are values. */
const MAX_WORD = 128;
const MAX_WORDS = 10;
const MAX_CHARS = 240;
/** A key press, an entity, and the rest of a sentence in a language without spaces. */
const AFTER_VALUE = /\{enter$|&(?:quot|gt|lt|#\d\d)$|(?<=[!-~])[\u3000-\uffef]/;
/** Beginning of the sentence that answers the one before it. */
const ANSWER =
  /\s{1,3}(?=(?:it['’]s|it is|here['’]s|here it is)\b)|(?<=\?)[ \t]{0,4}\r?\n(?=(?:> )?\S{6,64}[ \t]{0,4}(?:\r?\n|$))/iy;
/** After the name of another value: `"kid":`, `length=`. */
const OTHER_NAME = /^(?:\\{0,7}["'`]?[ \t]?=|\\{0,7}["'`][ \t]?:|:["'`])/;
const TYPE = /^(?:string|str|text)$/i;

/** Words that describe passwords, by their ending or as a whole. */
const SAID_OF_PASSWORDS =
  /(?:ed|ing|ly|able|ible|al|ive|ful|ent|ant|ous|ect|ory|ary|ic|less|en|own|id|ct|er|est|sh|ord|ase|ame|ty|ext|ike|ere|ine|ss)$|^(?:nothing|something|anything|everything|default|unknown|invalid|plaintext|argument|parameter|variable|property|attribute|placeholder|metadata|keyring|keychain|missing|mandatory)/;
/** Returns true for a plain word that can be the password in a sentence: `the password is marshmallow`. */
const isNoun = (text: string): boolean => /^[a-z]{7,}$/.test(text) && !SAID_OF_PASSWORDS.test(text);
const isWords = (text: string): boolean => /^[a-z]{2,16}(?:[-.][a-z]{1,16}){1,5}$/.test(text);

const PASSWORDS: ReadonlySet<NameFamily> = new Set(["password", "passphrase"]);
/** A list of names of secrets shows a digest and a date instead of the value. */
const DIGEST = /^[0-9a-f]{7,64}$/;
const DATED = /^[ \t|]{1,24}(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2} \d{1,2}\b|(?:(?:an?|\d{1,4}) ?[a-z]{1,8} ?){1,3} ?ago\b)/;
/** Parts of other texts: addresses, members, calls, wallets' addresses. */
const OTHER_TEXT = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$|^[\w.-]+:\d{2,5}(?:\/|$)|^0x[0-9a-fA-F]{40}$/;

/** `RequestId: v`, `commit: v` */
const OTHER_LABEL = /(?:id|hash|digest|version|commit|image)[:=]$/;

/** A function that returns a password. */
const READING = /^(?:[\w.]*\.)?(?:get|find|fetch|read|load|delete)_?[Pp]ass/;

interface Near {
  name: Name;
  family: NameFamily;
  /** True if the name is not English. */
  isForeign?: boolean;
}

/** A word after the name. */
interface Candidate {
  /** The word without the signs of the sentence after it. */
  own: string;
  word: string;
  start: number;
  end: number;
  /** Signs before the word. */
  gap: string;
  /** Text between the name and the word. */
  between: string;
  /** The four characters after `own`. */
  next: string;
  /** The word before, in lower case. */
  last: string;
  isFirst: boolean;
}

/** Text between a candidate and the name, by what it means. */
interface Tie {
  /** A sign or a telling word is before it. */
  told: boolean;
  signed: boolean;
  quoted: boolean;
  literal: boolean;
  /** It is the first word after a label, or after a name that follows a user's or a verb. */
  direct: boolean;
  /** It is alone on the line after a colon. */
  alone: boolean;
}

const lineOf = (before: string): string => before.slice(before.lastIndexOf("\n") + 1);

function tieOf({ name, isForeign = false }: Near, candidate: Candidate, before: string): Tie {
  const { gap, between, next, last, isFirst, own } = candidate;
  const literal = /["'`„“«「『]$/.test(gap);
  // A bracket encloses the value only if it closes after it.
  const quoted = literal || gap.endsWith(">") || (gap.endsWith("(") && /^[.,;]?\)/.test(next)) || gap === "";
  const signed =
    /[:：=]$/.test(last) || /(?<![=!-])[:=：→\t是为為はをがも이은는를을](?!=)|\]\s*=| -> |<-|<\/?\w/.test(gap);
  const isTelling =
    TELLING.has(last) &&
    (isForeign ||
      !AMBIGUOUS.test(last) ||
      (/^(?:to|from)$/.test(last) ? CHANGING : CHANGING_ABROAD).test(lineOf(before) + between));
  const said = /^(?:is|was|ist):?$/.test(last);
  const endsLine = /^[.,;!]?[ \t]{0,4}(?:\r?\n|$)/.test(next);
  const isColumn = /^ {2,}$/.test(gap) && endsLine && isChosen(own);
  const isBelow = gap.includes("\n") && endsLine && !gap.includes("<") && (/[:：?]$/.test(last) || /[:：]/.test(gap));
  // `pass` between spaces is more often a verb than a password.
  const isVerb =
    /^pass$/i.test(name.text) &&
    /(?:^|\s)$/.test(before) &&
    /^\s/.test(between) &&
    !(
      isFirst &&
      !isWords(own) &&
      ASIDE.test(before) &&
      /^[.,;)"'`]{0,2}(?:\s|$)/.test(next) &&
      !/^[`"']? [a-z]/.test(next)
    );
  return {
    told: isVerb ? said || (signed && !/["'`]/.test(between)) : signed || isTelling,
    signed,
    quoted: quoted && !isVerb,
    literal,
    direct: isFirst && !isVerb && (LABEL.test(before) || quoted || isColumn || ASIDE.test(before)),
    alone: isBelow,
  };
}

/** Returns true if a word looks like a password: the weaker its tie to the name, the more it must look chosen. */
function looksLikePassword({ own, last, between, next }: Candidate, tie: Tie, isForeign: boolean): boolean {
  const { told, signed, quoted, direct, alone } = tie;
  const isWhole = /^\W?\w+ $/.test(between.trimStart()) && /^[.,;:!]?(?:$|[\s)"'])/.test(next);
  if (/^[a-z]+$/.test(own) && /^(?:is|was|ist):?$/.test(last) && (quoted || isWhole)) return isNoun(own);
  const isTied = told || quoted || isForeign;
  if (isChosen(own)) return isTied || (direct && isMadeUp(own));
  if (isMadeUp(own))
    return (
      (direct && !(between.includes(",") && /\d/.test(own) && isTechnical(own))) ||
      (isTied && !isTechnical(own)) ||
      (told && (signed || !isForeign))
    );
  return (
    (told && UNLIKE_CODE.test(own)) ||
    (alone && (isRandom(own, 12) || /^\d{6}(?:-\d{6}){7}$/.test(own))) ||
    (isWords(own) && ((direct && quoted) || (isForeign && signed)))
  );
}

const looksLikeKey = ({ own, isFirst }: Candidate, { told, alone, literal }: Tie): boolean =>
  (isFirst && literal && isMadeUp(own)) || ((told || alone || isFirst) && isRandom(own, 16) && /\d/.test(own));

/** Returns true if the word is part of something else: a path, an address, code, a digest. */
function isOther({ text }: ScanText, { own, word, gap, next, end, last, isFirst }: Candidate, tie: Tie): boolean {
  return (
    /^[@/$#&%+.]/.test(word) ||
    OTHER_LABEL.test(last) ||
    /^[(/=]|^:\//.test(next) ||
    (!tie.literal && /[=(){}[\]]/.test(own.replace(/(?<=[\w+/]{20})={1,2}$/, "")) && !hasEquals(own)) ||
    (gap.endsWith("(") && /^(?:[0-9a-f]{7,40}|\d{1,3}:\d+\.\S*)$/.test(own)) ||
    gap.endsWith("[-") ||
    OTHER_TEXT.test(own) ||
    isThing(own) ||
    (!tie.literal && (/^:[ \t]|^[ \t]=[ \t]/.test(next) || gap.endsWith("->"))) ||
    (DIGEST.test(own) && (DATED.test(text.slice(end, end + 40)) || !(tie.told || tie.alone || isFirst)))
  );
}

/** Returns true if no value can follow the candidate: it names another value, ends the sentence or is code. */
function isEnd({ text }: ScanText, { own, word, next, start }: Candidate): boolean {
  return (
    (OTHER_NAME.test(next) && !TYPE.test(own) && /^[\w.-]+$/.test(own)) ||
    /\w=$/.test(word) ||
    (/[.;?!]$/.test(word) && matchEnd(ANSWER, text, start + word.length) === undefined) ||
    (/^\d+$|[{}=<>|\\]/.test(word) && !TELLING.has(word) && !/["'`]/.test(next))
  );
}

/** Returns true if a line break before the candidate separates it from the name. */
function isCutOff({ text }: ScanText, { gap, word, end }: Candidate, { alone }: Tie): boolean {
  const isElement = gap.includes("<") && !/\n[ \t]*\r?\n/.test(gap) && /^\s{0,40}<\//.test(text.slice(end, end + 42));
  if (gap.includes("\n") && !alone && !isElement && !/^(?:it|here)$/i.test(word)) return true;
  return alone && /\n[ \t]*\r?\n/.test(gap) && !/\n[ \t]{2,}$/.test(gap);
}

/** Returns the value in the text after `name`. */
export function valueNear(scan: ScanText, near: Near): Assigned | undefined {
  const { text } = scan;
  const { name, family, isForeign = false } = near;
  const before = charsBefore(text, name.start, 64);
  const line = lineOf(before);
  // A class of an element, a function that returns the secret.
  if (/\bclass(?:Name)?=["'][\w -]*$/.test(line) || (READING.test(name.text) && text[name.end] === "("))
    return undefined;
  const mayBeInTag = TAG_SIGN.test(text.slice(name.end, name.end + CHARS_OF_TAG));
  const sure = isForeign
    ? undefined
    : (matchEnd(SURE_JOINT, text, name.end) ?? (mayBeInTag ? matchEnd(SURE_JOINT_IN_TAG, text, name.end) : undefined));

  const isSure = sure !== undefined && !/^pass$/i.test(name.text);
  const value = isSure ? valueAt(scan, sure, "line") : undefined;
  if (value !== undefined) return /[>[]/.test(text[(sure ?? 0) - 1] ?? "") ? { ...value, context: "quoted" } : value;
  // A resource (`arn:…:secret:name`), an element or a placeholder (`<password>`), the end of a reference, a member.
  const around = (text[name.start - 1] ?? "") + (text[name.end] ?? "");
  if (around === "::" || /[</]>/.test(around) || around.endsWith("}")) return undefined;
  const ownWord = name.text.split(" ", 1)[0] ?? "";
  let last = "";
  const tagEnd = mayBeInTag ? matchEnd(REST_OF_TAG, text, name.end) : undefined;
  WORD.lastIndex = tagEnd ?? name.end;
  for (let count = 0; count < MAX_WORDS; count++) {
    const { gap = "", word = "" } = WORD.exec(text)?.groups ?? {};
    if (word === "" || (gap === "" && count === 0 && tagEnd === undefined) || WORD.lastIndex - name.end > MAX_CHARS)
      return undefined;
    // The same name again: what follows belongs to it. Underscores at its beginning count as signs.
    if ((gap.slice(-2) + word).includes(ownWord) || /^[=!]==?/.test(word) || /[=!]==?|=</.test(gap)) return undefined;
    // A union of types, unless it is a row of a table.
    if (/["'`]\s*\|\s*["'`]/.test(gap) && !/^[ \t]*\|/.test(line)) return undefined;
    const start = WORD.lastIndex - word.length;
    const trimmed = withoutEnd(word, ".,;:!?)*]}");
    const rest = trimmed.search(AFTER_VALUE);
    const own = rest < 0 ? trimmed : trimmed.slice(0, rest);
    const end = start + own.length;
    const candidate: Candidate = {
      own,
      word,
      start,
      end,
      gap,
      between: text.slice(name.end, start),
      next: text.slice(end, end + 4),
      last,
      isFirst: count === 0,
    };
    const tie = tieOf(near, candidate, before);
    if (isCutOff(scan, candidate, tie)) return undefined;
    const looksChosen = PASSWORDS.has(family)
      ? looksLikePassword(candidate, tie, isForeign)
      : looksLikeKey(candidate, tie);
    if (looksChosen && !isOther(scan, candidate, tie))
      return {
        start,
        end: word.length === MAX_WORD ? Math.max(end, scan.runEnd(BASE64_WORD, start)) : end,
        context: tie.quoted ? "quoted" : "line",
        cut: false,
      };
    if (isEnd(scan, candidate)) return undefined;
    last = /^[st]$/.test(word) && /^['’]$/.test(gap) ? "it's" : word.toLowerCase();
  }
  return undefined;
}
