/**
 * Positions of snippets, by blocks. In a table a block of a list is its members' places as numbers of two bytes, the low
 * one first, in any order; and once that would be longer, a bit for each place, the lowest bit of a byte first.
 */

/** Positions in a block. */
const BLOCK = 4_096;
const BITMAP_BYTES = BLOCK / 8;

export class PositionSet {
  readonly #blocks = new Map<number, Uint8Array>();

  constructor(positions: Iterable<number> = []) {
    for (const position of positions) this.add(position);
  }

  get size(): number {
    let size = 0;
    for (const bits of this.#blocks.values()) for (const byte of bits) size += BITS[byte] ?? 0;
    return size;
  }

  add(position: number): void {
    set(this.#bits(blockOf(position)), placeOf(position));
  }

  has(position: number): boolean {
    const place = placeOf(position);
    return (((this.#blocks.get(blockOf(position))?.[place >> 3] ?? 0) >> (place & 7)) & 1) === 1;
  }

  /** Leaves only what is in the other one too. */
  intersect(other: PositionSet): void {
    for (const [block, bits] of this.#blocks) {
      const others = other.#blocks.get(block);
      if (others === undefined) this.#blocks.delete(block);
      else bits.forEach((byte, at) => (bits[at] = byte & (others[at] ?? 0)));
    }
  }

  delete(position: number): void {
    const bits = this.#blocks.get(blockOf(position));
    const place = placeOf(position);
    if (bits !== undefined) bits[place >> 3] = (bits[place >> 3] ?? 0) & ~(1 << (place & 7));
  }

  /** Adds what a table has of a block. */
  addMembers(block: number, members: Uint8Array): void {
    const bits = this.#bits(block);
    if (members.length === BITMAP_BYTES) members.forEach((byte, at) => (bits[at] = (bits[at] ?? 0) | byte));
    else for (const place of placesIn(members)) set(bits, place);
  }

  /** In rising order. */
  *[Symbol.iterator](): Generator<number, void, undefined> {
    for (const block of this.#sorted()) for (const place of placesIn(this.#bits(block))) yield block * BLOCK + place;
  }

  /** A bit for each position from `first` on, which counts from 0 at the first one of its block. */
  bitmap(): { first: number; bits: Uint8Array } {
    const blocks = this.#sorted();
    const first = blocks[0] ?? 0;
    const bits = new Uint8Array(((blocks.at(-1) ?? first - 1) - first + 1) * BITMAP_BYTES);
    for (const block of blocks) bits.set(this.#bits(block), (block - first) * BITMAP_BYTES);
    return { first: first * BLOCK, bits };
  }

  /** The same with a byte of 0 or 1 for each position. */
  marks(): { first: number; marks: Uint8Array } {
    const { first, bits } = this.bitmap();
    const marks = new Uint8Array(bits.length * 8);
    for (const place of placesIn(bits)) marks[place] = 1;
    return { first, marks };
  }

  #sorted(): number[] {
    return [...this.#blocks.keys()].toSorted((a, b) => a - b);
  }

  #bits(block: number): Uint8Array {
    const known = this.#blocks.get(block);
    if (known !== undefined) return known;
    const bits = new Uint8Array(BITMAP_BYTES);
    this.#blocks.set(block, bits);
    return bits;
  }
}

export function blockOf(position: number): number {
  return Math.floor(position / BLOCK);
}

/** What a table has of a block once these positions, all of the block and none of them in it, are in it too. */
export function membersWith(members: Uint8Array, positions: readonly number[]): Uint8Array {
  const length = members.length + positions.length * 2;
  if (members.length === BITMAP_BYTES || length >= BITMAP_BYTES) return bitsWith(members, positions);
  const places = new Uint8Array(length);
  places.set(members);
  for (const [at, position] of positions.entries()) {
    const place = placeOf(position);
    places[members.length + at * 2] = place & 0xff;
    places[members.length + at * 2 + 1] = place >> 8;
  }
  return places;
}

function bitsWith(members: Uint8Array, positions: readonly number[]): Uint8Array {
  const bits = new Uint8Array(BITMAP_BYTES);
  if (members.length === BITMAP_BYTES) bits.set(members);
  else for (const place of placesIn(members)) set(bits, place);
  for (const position of positions) set(bits, placeOf(position));
  return bits;
}

/** What a table has of a block without these positions: nothing if there are no others. */
export function membersWithout(members: Uint8Array, positions: readonly number[]): Uint8Array {
  const gone = new Set(positions.map(placeOf));
  const left = [...placesIn(members)].filter((place) => !gone.has(place));
  return membersWith(new Uint8Array(), left);
}

function* placesIn(members: Uint8Array): Generator<number, void, undefined> {
  if (members.length < BITMAP_BYTES) {
    for (let at = 0; at + 1 < members.length; at += 2) yield (members[at] ?? 0) | ((members[at + 1] ?? 0) << 8);
    return;
  }
  for (let at = 0; at < members.length; at++) {
    const byte = members[at] ?? 0;
    for (let rest = byte, bit = 0; rest > 0; rest >>= 1, bit++) if (rest & 1) yield at * 8 + bit;
  }
}

function placeOf(position: number): number {
  return position % BLOCK;
}

function set(bits: Uint8Array, place: number): void {
  bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7));
}

/** How many bits a byte has. */
const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);
