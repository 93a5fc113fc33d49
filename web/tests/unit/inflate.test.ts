// Inflate against zlib's own compressor: each kind of block, and what is no stream.

import assert from "node:assert/strict";
import { test } from "node:test";
import { constants, deflateSync } from "node:zlib";
import { inflate } from "../../src/inflate.ts";

/** A seeded source of bytes (Marsaglia's xorshift), so that a failure can be seen again. */
function bytes(seed: number, length: number, alphabet: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % alphabet;
  });
}

test("every kind of block comes back as it was", () => {
  for (const [length, alphabet] of [[0, 2], [1, 2], [100, 256], [5_000, 3], [70_000, 256], [300_000, 7]] as const) {
    const input = bytes(length + alphabet, length, alphabet);
    for (const level of [0, 1, 6, 9]) {
      for (const strategy of [constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED, constants.Z_HUFFMAN_ONLY]) {
        const output = inflate(deflateSync(input, { level, strategy }));
        assert.ok(Buffer.from(output).equals(Buffer.from(input)), `${length} bytes of ${alphabet}, level ${level}, strategy ${strategy}`);
      }
    }
  }
});

test("what is no stream is refused, wherever it breaks", () => {
  const whole = deflateSync(bytes(3, 2_000, 5));
  assert.throws(() => inflate(new Uint8Array()), /no zlib stream/);
  assert.throws(() => inflate(Uint8Array.of(1, 2, 3)), /no zlib stream/);
  // The last four bytes are the checksum, which is not read.
  for (let length = 2; length < whole.length - 4; length += 7) assert.throws(() => inflate(whole.subarray(0, length)), /end too early|wrong length/);
  for (let at = 2; at < whole.length; at++) {
    const broken = Uint8Array.from(whole);
    broken[at]! ^= 0x55;
    try {
      inflate(broken);
    } catch (error) {
      assert.ok(error instanceof Error);
    }
  }
});

test("a bomb is given up", () => {
  assert.throws(() => inflate(deflateSync(new Uint8Array(40 << 20))), /more than/);
});
