import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { hitThreshold, prepare, SAMPLES, tagOf, unit } from '../../../dist/work/s32.js'

// The work of a challenge, away from the thread that measures how long answers take.
// From the built service, because a thread runs JavaScript only.

parentPort.on('message', ({ challenge, work: { n, s } }) => {
  const digest = createHash('sha256').update(`hv-pow/s32\0${challenge}`).digest()
  const key = Int32Array.from({ length: 8 }, (_, i) => digest.readInt32LE(i * 4))
  const threshold = hitThreshold(n)
  const wanted = Math.min(n, SAMPLES)
  const hits = []
  prepare(key, s)
  for (let index = 0; hits.length < wanted; index++) {
    const output = unit(key, index, s)
    if (output <= threshold) hits.push({ index, tag: tagOf(output) })
  }
  parentPort.postMessage({ challenge, hits }, [])
})
