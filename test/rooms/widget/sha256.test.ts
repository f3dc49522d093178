import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { sha256 } from '../../../widget/src/sha256.ts'

// Around every border of the padding: one block ends at 55 bytes, a second begins at 64.
test.each([0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 128, 700, 5000])(
  '%d bytes hash as node:crypto hashes them',
  (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 0xff)
    expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
  },
)
