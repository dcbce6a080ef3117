/**
 * Finds private keys: blocks, also without their beginning or end, bare base64, and blocks that were escaped, quoted
 * line by line, or have a diff's marks or line numbers.
 */
import { BASE64, inSet } from "./char-set.ts";
import { type Finding, NOTHING } from "./finding.ts";
import { charsBefore, matchEnd, type ScanText } from "./scan-text.ts";
import type { Rule } from "./trigger-index.ts";

const KIND = "private-key";
const BEGIN = /-{4,5} ?BEGIN (?:(?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\d) ?-{4,5}/y;
const END = /-{4,5} ?END (?:(?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\d) ?-{4,5}/y;
/** Text between two lines of a key: line breaks, also escaped, quotes, diff marks, line numbers. */
const GAP = /(?:[\s"'`,;|>+#*→:]|-(?!-)|\\{1,127}["'nrt]|\\{1,127}(?=\/)|\d{1,6}(?=[|→:\t ])){0,120}/y;
const KEY_HEADER =
  /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Encryption|Key-Derivation|Argon2-\w{1,20}): ?[^\n\\"]{0,200}/y;
/** Lines of a key have about 64 characters; shorter ones are accepted only at its end. */
const LINE_MIN = 16;
const BODY_MAX = 64 * 1024;
const TAIL_MAX = 8 * 1024;

interface Body {
  /** Runs of base64. */
  pieces: { start: number; end: number }[];
  /** Index after the END marker, or after the last piece. */
  end: number;
}

/**
 * Reads key material from `from` on, up to its END marker or the first line that cannot belong to a key. With `spaced`
 * spaces may separate lines, as in a key that was written on one line.
 */
function walkBody(scan: ScanText, from: number, spaced = false): Body {
  const { text } = scan;
  const pieces: Body["pieces"] = [];
  let at = from;
  while (at - from < BODY_MAX) {
    const start = matchEnd(GAP, text, at) ?? at;
    const closed = matchEnd(END, text, start);
    if (closed !== undefined) {
      scan.seenTo.keys = Math.max(scan.seenTo.keys, closed);
      return { pieces, end: closed };
    }
    const header = matchEnd(KEY_HEADER, text, start);
    if (header !== undefined) {
      at = header;
      continue;
    }
    if (pieces.length > 0 && !spaced && !/[\n\r]|\\[nr]/.test(text.slice(at, start))) break;
    const end = scan.runEnd(BASE64, start);
    if (!belongsToKey(scan, start, end)) break;
    pieces.push({ start, end });
    at = end;
  }
  scan.seenTo.keys = Math.max(scan.seenTo.keys, at);
  return { pieces, end: pieces.at(-1)?.end ?? from };
}

function belongsToKey(scan: ScanText, start: number, end: number): boolean {
  if (end === start) return false;
  if (end - start >= LINE_MIN) return true;
  const { text } = scan;
  if (text[end - 1] === "=" || text[start] === "=" || scan.breaksOffAt(end)) return true;
  return matchEnd(END, text, matchEnd(GAP, text, end) ?? end) !== undefined;
}

function isMaterial(text: string, { start, end }: { start: number; end: number }): boolean {
  const sample = text.slice(start, Math.min(end, start + 200));
  return /[0-9+/]/.test(sample) || (/[A-Z]{2}/.test(sample) && /[a-z]/.test(sample));
}

/** Returns one finding for the block, or one for each run if there are quotes between them, which must stay. */
function findingsOf(scan: ScanText, from: number, { pieces, end }: Body): readonly Finding[] {
  const { text } = scan;
  if (!pieces.some((piece) => isMaterial(text, piece))) return NOTHING;
  if (/["'`]/.test(text.slice(from, end))) return pieces.map((piece) => ({ ...piece, kind: KIND }));
  return [{ start: from, end, kind: KIND }];
}

function findBlock(scan: ScanText, at: number): readonly Finding[] {
  if (at < scan.seenTo.keys) return NOTHING;
  const dashes = charsBefore(scan.text, at, 6).search(/-{4,5} ?$/);
  if (dashes < 0) return NOTHING;
  const start = Math.max(0, at - 6) + dashes;
  const bodyStart = matchEnd(BEGIN, scan.text, start);
  return bodyStart === undefined ? NOTHING : findingsOf(scan, start, walkBody(scan, bodyStart, true));
}

const LINE_BREAK = /\r?\n|(?<!\\)(?:\\{1,127}r)?\\{1,127}n/g;
const LINE_PREFIX = /^(?:[\s>|+#*"',→:-]|\d{1,6}(?=[|→:\t ])){0,20}/;
const LINE_SUFFIX = /[\s"',\\]{0,20}$/;

/** Finds the lines before an END marker of a key whose beginning is not in the text. */
function findTail(scan: ScanText, at: number): readonly Finding[] {
  const { text } = scan;
  const dashes = charsBefore(text, at, 6).search(/-{4,5} ?$/);
  if (dashes < 0) return NOTHING;
  const marker = Math.max(0, at - 6) + dashes;
  if (marker < scan.seenTo.keys || matchEnd(END, text, marker) === undefined) return NOTHING;
  const earliest = Math.max(0, marker - TAIL_MAX, scan.seenTo.keys);
  const before = text.slice(earliest, marker);
  const offset = earliest + before.lastIndexOf("----") + 1;
  return tailLines(text, offset > earliest ? offset + 3 : earliest, marker);
}

function tailLines(text: string, from: number, to: number): readonly Finding[] {
  const window = text.slice(from, to);
  const starts = [0, ...Array.from(window.matchAll(LINE_BREAK), (match) => match.index + match[0].length)];
  const findings: Finding[] = [];
  let lineEnd = window.length;
  for (const start of starts.toReversed()) {
    const line = window.slice(start, lineEnd);
    lineEnd = start;
    const prefix = LINE_PREFIX.exec(line)?.[0].length ?? 0;
    const body = line.slice(prefix).replace(LINE_BREAK, "").replace(LINE_SUFFIX, "");
    if (body === "") continue;
    const run = keyMaterialAtEnd(body);
    if (run === "" || (run.length < LINE_MIN && findings.length > 0)) break;
    const end = from + start + prefix + body.length;
    findings.push({ start: end - run.length, end, kind: KIND });
    if (run !== body) break;
  }
  const first = findings.at(-1);
  const last = findings[0];
  if (first === undefined || last === undefined || last.end - first.start < LINE_MIN) return NOTHING;
  if (/["'`]/.test(text.slice(first.start, last.end))) return findings;
  return [{ start: first.start, end: last.end, kind: KIND }];
}

/** Returns the base64 at the end of a line: the whole line, or the text after a quote, a space, `:` or `=`. */
function keyMaterialAtEnd(line: string): string {
  let start = line.length;
  while (start > 0 && inSet(BASE64, line.charCodeAt(start - 1))) start--;
  if (start === 0 || /[\s"'`:]/.test(line.charAt(start - 1))) return line.slice(start);
  const sign = line.indexOf("=", start);
  return sign < 0 ? "" : line.slice(sign + 1);
}

/** First bytes of private keys in base64: headers of OpenSSH, PKCS#1, PKCS#8 and SEC1. Public keys have others. */
const BARE_KEY = /b3BlbnNzaC1rZXktdjE|MII[A-Za-z0-9+/]{2}[AQgw]IBA(?:AK|DAN)|MHcCAQEE|MIGHAgEAMBMG|MC4CAQAwBQYDK2Vw/y;
const BARE_MIN = 40;

function findBareKey(scan: ScanText, at: number): readonly Finding[] {
  if (at < scan.seenTo.keys || matchEnd(BARE_KEY, scan.text, at) === undefined) return NOTHING;
  const firstEnd = scan.runEnd(BASE64, at);
  if (firstEnd - at < BARE_MIN && !scan.breaksOffAt(firstEnd)) return NOTHING;
  return findingsOf(scan, at, walkBody(scan, at));
}

/** Finds a PEM block in base64, as in `client-key-data:` of a kubeconfig. Only decoding tells it from a certificate. */
function findEncodedBlock(scan: ScanText, at: number): readonly Finding[] {
  if (at < scan.seenTo.keys) return NOTHING;
  const start = Buffer.from(scan.text.slice(at, at + 80), "base64").toString("latin1");
  return start.includes("PRIVATE KEY") ? findingsOf(scan, at, walkBody(scan, at)) : NOTHING;
}

function findPuttyKey(scan: ScanText, at: number): readonly Finding[] {
  const start = matchEnd(/Private-Lines: ?\d{1,4}/y, scan.text, at);
  if (start === undefined) return NOTHING;
  const { pieces, end } = walkBody(scan, start);
  const first = pieces[0];
  return first === undefined ? NOTHING : findingsOf(scan, first.start, { pieces, end });
}

export const privateKeyRules: readonly Rule[] = [
  { triggers: ["BEGIN "], find: findBlock },
  { triggers: ["END "], find: findTail },
  {
    triggers: ["b3BlbnNzaC1rZXktdjE", "MII", "MHcCAQEE", "MIGHAgEAMBMG", "MC4CAQAwBQYDK2Vw"],
    find: findBareKey,
  },
  { triggers: ["LS0tLS1CRUdJTi"], find: findEncodedBlock },
  { triggers: ["Private-Lines:"], find: findPuttyKey },
];
