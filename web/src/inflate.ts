// Inflate (RFC 1951) of a zlib stream (RFC 1950) that is whole in memory, in one synchronous call.
//
// The browser's DecompressionStream would do, but each of a record's thousands of small streams would cost a turn through promises: a
// page of 600 intervals is drawn in the time that takes. Output is bounded, so a hostile record can't fill the memory.

/** Greatest output: a histogram up to an hour with three digits is 0.4 MB at its densest. */
const OUTPUT_BYTES_MAX = 16 << 20;

/** Lengths and distances of RFC 1951 §3.2.5. */
const LENGTH_BASE = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385,
  24577,
];
const DISTANCE_EXTRA = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
/** In which order the lengths of the code for code lengths come: §3.2.7. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** A canonical Huffman code: how many codes there are of each length, and the symbols in the order of their codes (§3.2.2). */
interface Code {
  counts: Uint16Array;
  symbols: Uint16Array;
}

function code(lengths: ArrayLike<number>): Code {
  const counts = new Uint16Array(16);
  for (let symbol = 0; symbol < lengths.length; symbol++) counts[lengths[symbol]!]!++;
  counts[0] = 0;
  const offsets = new Uint16Array(16);
  let free = 1;
  for (let length = 1; length < 16; length++) {
    offsets[length] = offsets[length - 1]! + counts[length - 1]!;
    free = (free << 1) - counts[length]!;
    if (free < 0) throw new Error("a Huffman code with more codes than there is room for");
  }
  const symbols = new Uint16Array(lengths.length);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol]!;
    if (length > 0) symbols[offsets[length]!++] = symbol;
  }
  return { counts, symbols };
}

let fixedCodes: [Code, Code] | undefined;

/** The codes of §3.2.6. */
function fixed(): [Code, Code] {
  const lengths = new Uint8Array(288).fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280, 288);
  return (fixedCodes ??= [code(lengths), code(new Uint8Array(30).fill(5))]);
}

class Inflater {
  private at: number;
  private bits = 0;
  private bitCount = 0;
  private out = new Uint8Array(4096);
  private length = 0;
  private readonly input: Uint8Array;

  constructor(input: Uint8Array, at: number) {
    this.input = input;
    this.at = at;
  }

  run(): Uint8Array {
    for (let isLast = false; !isLast; ) {
      isLast = this.take(1) === 1;
      const kind = this.take(2);
      if (kind === 0) this.stored();
      else if (kind === 1) this.block(...fixed());
      else if (kind === 2) this.block(...this.dynamic());
      else throw new Error("a block of no known kind");
    }
    return this.out.subarray(0, this.length);
  }

  private take(count: number): number {
    while (this.bitCount < count) {
      const byte = this.input[this.at++];
      if (byte === undefined) throw new Error("the compressed data end too early");
      this.bits |= byte << this.bitCount;
      this.bitCount += 8;
    }
    const value = this.bits & ((1 << count) - 1);
    this.bits >>>= count;
    this.bitCount -= count;
    return value;
  }

  private symbol({ counts, symbols }: Code): number {
    let bits = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length < 16; length++) {
      bits |= this.take(1);
      const count = counts[length]!;
      if (bits - first < count) return symbols[index + bits - first]!;
      index += count;
      first = (first + count) << 1;
      bits <<= 1;
    }
    throw new Error("a code that stands for nothing");
  }

  private room(more: number): void {
    const needed = this.length + more;
    if (needed > OUTPUT_BYTES_MAX) throw new Error(`more than ${OUTPUT_BYTES_MAX} bytes`);
    if (needed <= this.out.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.out.length));
    grown.set(this.out);
    this.out = grown;
  }

  private stored(): void {
    this.bits = 0;
    this.bitCount = 0;
    const [low, high, lowNot, highNot] = this.input.subarray(this.at, this.at + 4);
    if (low === undefined || high === undefined || ((lowNot ?? 0) ^ 0xff) !== low || ((highNot ?? 0) ^ 0xff) !== high) {
      throw new Error("a stored block with a wrong length");
    }
    const size = low | (high << 8);
    const part = this.input.subarray(this.at + 4, this.at + 4 + size);
    if (part.length !== size) throw new Error("the compressed data end too early");
    this.at += 4 + size;
    this.room(size);
    this.out.set(part, this.length);
    this.length += size;
  }

  private dynamic(): [Code, Code] {
    const literalCount = this.take(5) + 257;
    const distanceCount = this.take(5) + 1;
    const orderCount = this.take(4) + 4;
    const lengths = new Uint8Array(19);
    for (let index = 0; index < orderCount; index++) lengths[ORDER[index]!] = this.take(3);
    const lengthCode = code(lengths);
    const all = new Uint8Array(literalCount + distanceCount);
    for (let at = 0; at < all.length; ) {
      const symbol = this.symbol(lengthCode);
      if (symbol < 16) {
        all[at++] = symbol;
        continue;
      }
      if (symbol === 16 && at === 0) throw new Error("a repeated length with none before it");
      const value = symbol === 16 ? all[at - 1]! : 0;
      const repeat = symbol === 16 ? 3 + this.take(2) : symbol === 17 ? 3 + this.take(3) : 11 + this.take(7);
      if (at + repeat > all.length) throw new Error("more code lengths than codes");
      all.fill(value, at, at + repeat);
      at += repeat;
    }
    return [code(all.subarray(0, literalCount)), code(all.subarray(literalCount))];
  }

  private block(literals: Code, distances: Code): void {
    for (;;) {
      const symbol = this.symbol(literals);
      if (symbol === 256) return;
      if (symbol < 256) {
        this.room(1);
        this.out[this.length++] = symbol;
        continue;
      }
      const base = LENGTH_BASE[symbol - 257];
      if (base === undefined) throw new Error("a length of no known code");
      const size = base + this.take(LENGTH_EXTRA[symbol - 257]!);
      const distanceSymbol = this.symbol(distances);
      const distanceBase = DISTANCE_BASE[distanceSymbol];
      if (distanceBase === undefined) throw new Error("a distance of no known code");
      const distance = distanceBase + this.take(DISTANCE_EXTRA[distanceSymbol]!);
      if (distance > this.length) throw new Error("a copy from before the start");
      this.room(size);
      for (let n = 0; n < size; n++, this.length++) this.out[this.length] = this.out[this.length - distance]!;
    }
  }
}

/** The bytes of a zlib stream. Throws where it is none. Its checksum is not looked at: a record is not a channel that loses bits. */
export function inflate(input: Uint8Array): Uint8Array {
  const [method, flags] = input;
  if (method === undefined || flags === undefined || (method & 15) !== 8 || ((method << 8) | flags) % 31 !== 0 || (flags & 32) !== 0) {
    throw new Error("no zlib stream");
  }
  return new Inflater(input, 2).run();
}
