/** What crashes, disks and editors do to a file. */
import fc from "fast-check";

type Damage = (bytes: Buffer) => Buffer;

const at = (bytes: Buffer, share: number): number => Math.floor(share * bytes.length);

/** A place in a file, as a share of its length: shrinks towards the start. */
const place = fc.nat(1_000_000).map((n) => n / 1_000_001);
const PIECES = [
  Buffer.from("\0"),
  Buffer.alloc(40),
  Buffer.from("\ufeff"),
  Buffer.from([0xff]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from("\r"),
  Buffer.from("\n"),
  Buffer.from("\n\n \t\n"),
  Buffer.from("{"),
  Buffer.from('{"'),
  Buffer.from('"'),
  Buffer.from("\\"),
  Buffer.from("null"),
  Buffer.from("\n[]\n"),
  Buffer.from("}{"),
  Buffer.from('{"type":"user","uuid":"made","message":{"content":"whole"}}'),
];

const truncated = place.map(
  (end): Damage =>
    (bytes) =>
      bytes.subarray(0, at(bytes, end)),
);
const beheaded = place.map(
  (start): Damage =>
    (bytes) =>
      bytes.subarray(at(bytes, start)),
);
const cutOut = fc.tuple(place, fc.nat(200)).map(([start, length]): Damage => (bytes) => {
  const from = at(bytes, start);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]);
});
const inserted = fc.tuple(place, fc.constantFrom(...PIECES)).map(([start, piece]): Damage => (bytes) => {
  const from = at(bytes, start);
  return Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(from)]);
});
const flipped = fc.tuple(place, fc.nat(7)).map(([share, bit]): Damage => (bytes) => {
  const copy = Buffer.from(bytes);
  const where = at(copy, share);
  if (copy.length > 0) copy[where] = (copy[where] ?? 0) ^ (1 << bit);
  return copy;
});
const zeroed = fc.tuple(place, fc.nat(300)).map(([start, length]): Damage => (bytes) => {
  const from = at(bytes, start);
  return Buffer.from(bytes).fill(0, from, from + length);
});

/** Works on lines as bytes, ends included, so that a damaged character stays as it is. */
const onLines =
  (change: (lines: Buffer[]) => Buffer[]): Damage =>
  (bytes) =>
    Buffer.concat(change(linesOf(bytes)));
const repeated = fc
  .tuple(place, fc.nat(3))
  .map(([share, times]) =>
    onLines((lines) =>
      lines.flatMap((line, n) => (n === Math.floor(share * lines.length) ? Array(times + 1).fill(line) : [line])),
    ),
  );
const moved = fc.tuple(place, place).map(([from, to]) =>
  onLines((lines) => {
    const [line] = lines.splice(Math.floor(from * lines.length), 1);
    if (line) lines.splice(Math.floor(to * lines.length), 0, line);
    return lines;
  }),
);
const glued = place.map((share) =>
  onLines((lines) => lines.map((line, n) => (n === Math.floor(share * lines.length) ? line.subarray(0, -1) : line))),
);
const shuffled = fc.nat().map((salt) =>
  onLines((lines) =>
    lines
      .map((line, n) => ({ line, key: Math.imul(n + 1, salt | 1) >>> 3 }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ line }) => line),
  ),
);
const twice = fc.constant<Damage>((bytes) => Buffer.concat([bytes, bytes]));
const withCarriageReturns = fc.constant<Damage>((bytes) =>
  Buffer.from(bytes.toString("latin1").replaceAll("\n", "\r\n"), "latin1"),
);

/** Some damage or none. */
export const damage: fc.Arbitrary<Damage> = fc
  .array(
    fc.oneof(
      truncated,
      beheaded,
      cutOut,
      inserted,
      flipped,
      zeroed,
      repeated,
      moved,
      glued,
      shuffled,
      twice,
      withCarriageReturns,
    ),
    { maxLength: 6 },
  )
  .map((damages) => (bytes) => damages.reduce((whole, each) => each(whole), bytes));

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(10, start);
    const next = end === -1 ? bytes.length : end + 1;
    lines.push(bytes.subarray(start, next));
    start = next;
  }
  return lines;
}

/** Bytes in pieces that may end anywhere; `cuts` are shares of the length. */
export function cutBytes(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => at(bytes, cut)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, n) => bytes.subarray(places[n], end));
}

export const cuts: fc.Arbitrary<number[]> = fc.array(place, { maxLength: 12 });

/** An input that comes in chunks. */
export async function* chunked<T>(chunks: readonly T[]): AsyncGenerator<T> {
  for (const chunk of chunks) yield chunk;
}
