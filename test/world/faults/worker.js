/** A thread that does the work of challenges with the code that is shipped: a thread runs JavaScript only. */
import { parentPort } from 'node:worker_threads'
import { honestWork } from '../../../dist/doctor/visitor.js'

parentPort.on('message', ({ challenge, work }) =>
  parentPort.postMessage(honestWork(challenge, work), []),
)
