/** A worker thread that does the work of challenges, on a core of its own, with the code that is shipped. */
import { parentPort } from 'node:worker_threads'
import { honestWork } from '../../../dist/doctor/visitor.js'

parentPort.on('message', ({ id, challenge, s, n }) => {
  parentPort.postMessage({ id, solution: honestWork(challenge, { a: 's32.1', s, n }) }, [])
})
