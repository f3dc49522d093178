/** The field and the curve of RFC 8032, section 5.1. */
const P = 2n ** 255n - 19n
const modulo = (value: bigint): bigint => ((value % P) + P) % P
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (
    let square = modulo(base), left = exponent;
    left > 0n;
    square = (square * square) % P, left >>= 1n
  )
    if (left & 1n) result = (result * square) % P
  return result
}
const D = modulo(-121665n * power(121666n, P - 2n))
const ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n
/** The y of the eight points of small order: anyone can sign for such a key. */
const SMALL = new Set([0n, 1n, P - 1n, ORDER_8, P - ORDER_8])

/** Reports whether 32 bytes in base64url are a point that a key pair can have: on the curve, canonical, not of small order. */
export function isPublicKey(x: string): boolean {
  const y = BigInt.asUintN(
    255,
    BigInt(`0x${Buffer.from(Buffer.from(x, 'base64url').toReversed()).toString('hex') || '0'}`),
  )
  // x² = (y² - 1) / (d y² + 1): there is an x if the product of both is a square, by Euler's criterion.
  return y < P && !SMALL.has(y) && power((y * y - 1n) * (D * y * y + 1n), (P - 1n) / 2n) === 1n
}
