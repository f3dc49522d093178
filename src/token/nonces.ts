import { createCipheriv, type KeyObject, randomBytes } from 'node:crypto'

/** Bytes of a nonce of AES-GCM: NIST SP 800-38D, section 8.2. */
export const NONCE = 12
/** Bytes of the number of a run: random, one for each start of a process. */
const RUN = 8
const HALF = NONCE / 2
const BLOCK = 16
/** Rounds of the permutation; four make it look random: Luby and Rackoff, 1988. */
const ROUNDS = 4
const AT_ONCE = 256
/** Nonces of one run. */
const LONGEST_RUN = 2 ** 32

/**
 * Nonces for one key, none of them twice: the number of this run and a count, permuted so that nobody reads from a token
 * how many there were. docs/design/decisions.md, "Tokens and keys", has the argument; random nonces would be
 * bounded by 2^32 tokens (SP 800-38D, section 8.3), which 136 tokens a second reach in a year.
 *
 * @param key of the permutation, AES-256: the same in every process that seals with the same key.
 * @param newRun 8 random bytes.
 * @param first count to begin with, 0 to 2^32 - 1.
 */
export function nonces(key: KeyObject, newRun = () => randomBytes(RUN), first = 0): () => Buffer {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  let run = newRun()
  let count = first
  let pool = Buffer.alloc(0)
  let at = 0

  function fill(): void {
    // A new one: the last may still be in somebody's hands.
    pool = Buffer.alloc(AT_ONCE * NONCE)
    for (let i = 0; i < pool.length; i += NONCE) {
      if (count === LONGEST_RUN) [run, count] = [newRun(), 0]
      run.copy(pool, i)
      pool.writeUInt32BE(count++, i + RUN)
    }
    permute(pool, (blocks) => cipher.update(blocks))
    at = 0
  }

  return () => {
    if (at === pool.length) fill()
    return pool.subarray(at, (at += NONCE))
  }
}

/** Permutes each nonce in place, by a Feistel network: a bijection whatever the cipher does, so distinct stay distinct. */
function permute(pool: Buffer, encrypt: (blocks: Buffer) => Buffer): void {
  const blocks = Buffer.alloc(AT_ONCE * BLOCK)
  for (let round = 0; round < ROUNDS; round++) {
    const [from, to] = round % 2 === 0 ? [0, HALF] : [HALF, 0]
    for (let i = 0; i < AT_ONCE; i++) {
      pool.copy(blocks, i * BLOCK, i * NONCE + from, i * NONCE + from + HALF)
      blocks[i * BLOCK + HALF] = round
    }
    const noise = encrypt(blocks)
    for (let i = 0; i < AT_ONCE; i++) {
      for (let byte = 0; byte < HALF; byte++) pool[i * NONCE + to + byte]! ^= noise[i * BLOCK + byte]!
    }
  }
}
