/** Damage that crashes, disks and editors do to a file. */
import fc from "fast-check";

/** One thing that was done to it. Places are millionths of its length, so that they mean something in any file. */
export interface Damage {
  kind: keyof typeof KINDS;
  place: number;
  other: number;
  amount: number;
}

const WHOLE = '{"type":"user","uuid":"made","message":{"content":"whole"}}';
const ODD = [
  "\0",
  "\0".repeat(40),
  "\ufeff",
  "\r",
  "\n",
  "\n\n \t\n",
  "{",
  '{"',
  '"',
  "\\",
  "null",
  "\n[]\n",
  "}{",
  WHOLE,
];
const PIECES = ODD.map((text) => Buffer.from(text));
const NOT_UTF8 = [Buffer.from([0xff]), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from([0xf0, 0x9f])];

const KINDS = {
  "cut off the end": (bytes, { place }) => bytes.subarray(0, placeIn(bytes, place)),
  "cut off the start": (bytes, { place }) => bytes.subarray(placeIn(bytes, place)),
  "cut out": (bytes, { place, amount }) => replaced(bytes, placeIn(bytes, place), amount),
  insert: (bytes, { place, amount }) => {
    const pieces = [...PIECES, ...NOT_UTF8];
    return replaced(bytes, placeIn(bytes, place), 0, pieces[amount % pieces.length]);
  },
  "flip a bit": (bytes, { place, amount }) => {
    const at = placeIn(bytes, place);
    return replaced(bytes, at, 1, Buffer.from([(bytes[at] ?? 0) ^ (1 << (amount % 8))]));
  },
  zero: (bytes, { place, amount }) => {
    const at = placeIn(bytes, place);
    return replaced(bytes, at, amount, Buffer.alloc(Math.min(amount, bytes.length - at)));
  },
  "repeat a line": onLines((lines, { place, amount }) => {
    const at = placeIn(lines, place);
    return lines.toSpliced(at, 0, ...lines.slice(at, at + 1 + (amount % 4)));
  }),
  "move a line": onLines((lines, { place, other }) => {
    const at = placeIn(lines, place);
    return lines.toSpliced(at, 1).toSpliced(placeIn(lines, other), 0, ...lines.slice(at, at + 1));
  }),
  "glue lines": onLines((lines, { place }) => {
    const at = placeIn(lines, place);
    return lines.map((line, n) => (n === at ? line.subarray(0, -1) : line));
  }),
  shuffle: onLines((lines, { other }) => {
    const key = (n: number): number => Math.imul(n + 1, other | 1) >>> 3;
    return [...lines.keys()].toSorted((a, b) => key(a) - key(b)).flatMap((n) => lines[n] ?? []);
  }),
  twice: (bytes) => Buffer.concat([bytes, bytes]),
  "carriage returns": onLines((lines) =>
    lines.map((line) => (line.at(-1) === 10 ? Buffer.concat([line.subarray(0, -1), Buffer.from("\r\n")]) : line)),
  ),
} satisfies Record<string, (bytes: Buffer, damage: Damage) => Buffer>;

const kinds = Object.keys(KINDS).filter((key): key is keyof typeof KINDS => key in KINDS);
const MILLION = 1_000_000;

/** Some damage or none. */
export const damages: fc.Arbitrary<Damage[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    place: fc.nat(MILLION),
    other: fc.nat(MILLION),
    amount: fc.nat(300),
  }),
  { maxLength: 6 },
);

export function damaged(bytes: Buffer, done: readonly Damage[]): Buffer {
  return done.reduce((whole, damage) => KINDS[damage.kind](whole, damage), bytes);
}

/** The same as an arbitrary, for tests that need not see what was done. */
export const damagedBytes = (bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc.tuple(bytes, damages).map(([whole, done]) => damaged(whole, done));

function placeIn({ length }: { length: number }, millionths: number): number {
  return Math.floor((millionths / (MILLION + 1)) * length);
}

function replaced(bytes: Buffer, at: number, length: number, piece: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + length)]);
}

/** Works on lines as bytes, with their ends, so that a damaged character stays as it is. */
function onLines(
  change: (lines: readonly Buffer[], damage: Damage) => readonly Buffer[],
): (bytes: Buffer, damage: Damage) => Buffer {
  return (bytes, damage) => Buffer.concat(change(linesOf(bytes), damage));
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(10, start);
    const next = end === -1 ? bytes.length : end + 1;
    lines.push(bytes.subarray(start, next));
    start = next;
  }
  return lines;
}
