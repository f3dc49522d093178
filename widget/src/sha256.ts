/**
 * SHA-256 in plain JavaScript: `crypto.subtle` is missing on plain http, and a challenge token is short.
 *
 * @returns the 32 bytes of the hash.
 * @see FIPS 180-4, section 6.2
 */
export function sha256(bytes: Uint8Array): ArrayBuffer {
  const { start, rounds } = constants()
  const hash = Int32Array.from(start)
  const words = padded(bytes)
  const w = new Int32Array(64)
  for (let block = 0; block < words.length; block += 16) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) w[i] = words[block + i]!
      else {
        const a = w[i - 15]!
        const b = w[i - 2]!
        const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)
        const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10)
        w[i] = w[i - 16]! + s0 + w[i - 7]! + s1
      }
    }
    let [a, b, c, d, e, f, g, h] = hash as unknown as Eight
    for (let i = 0; i < 64; i++) {
      const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i]! + w[i]!) | 0
      const t2 = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    ;[a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] = hash[i]! + word))
  }
  const result = new DataView(new ArrayBuffer(32))
  hash.forEach((word, i) => result.setInt32(i * 4, word))
  return result.buffer
}

type Eight = [number, number, number, number, number, number, number, number]

const rotate = (x: number, by: number): number => (x >>> by) | (x << (32 - by))

/** The message as big-endian words: 0x80, zeros, and its length in bits at the end. */
function padded(bytes: Uint8Array): Int32Array {
  const words = new Int32Array((((bytes.length + 8) >> 6) + 1) << 4)
  bytes.forEach((byte, i) => (words[i >> 2]! |= byte << (24 - (i & 3) * 8)))
  words[bytes.length >> 2]! |= 0x80 << (24 - (bytes.length & 3) * 8)
  words[words.length - 1] = bytes.length * 8
  return words
}

/** The fractional bits of the square roots of the first 8, and the cube roots of the first 64 primes. */
function constants(): { start: number[]; rounds: number[] } {
  const start: number[] = []
  const rounds: number[] = []
  for (let n = 2; rounds.length < 64; n++) {
    let divisor = 2
    while (n % divisor) divisor++
    if (divisor < n) continue
    if (start.length < 8) start.push(fraction(Math.sqrt(n)))
    rounds.push(fraction(Math.cbrt(n)))
  }
  return { start, rounds }
}

const fraction = (x: number): number => ((x - Math.floor(x)) * 2 ** 32) | 0
