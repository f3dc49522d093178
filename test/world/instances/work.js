/** A worker thread that does the work of challenges, on a core of its own, with the code that is shipped. */
import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { prepare, tagOf, unit } from '../../../dist/domain/work/s32.js'

parentPort.on('message', ({ id, challenge, s, n }) => {
  const digest = createHash('sha256').update(`hv-pow/s32\0${challenge}`).digest()
  const key = Int32Array.from({ length: 8 }, (_, i) => digest.readInt32LE(i * 4))
  prepare(key, s)
  const bytes = Buffer.alloc(n * 2)
  for (let i = 0; i < n; i++) bytes.writeUInt16LE(tagOf(unit(key, i, s)), i * 2)
  parentPort.postMessage({ id, solution: bytes.toString('base64url') }, [])
})
