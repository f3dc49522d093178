/** What the browser proof costs the server, in CPU time of this process: `npm run build:service && node bench/proof.mjs`. */
import { createHmac, randomBytes } from 'node:crypto'
import { cpus } from 'node:os'
import { checkProof, putProof, rightAnswers } from '../dist/proof/proof.js'

const KINDS = 4000
const seeds = Array.from({ length: KINDS }, () => randomBytes(32))
const right = seeds.map(rightAnswers)
const key = randomBytes(32)

/** Microseconds of user time a call, the best of twelve rounds: others use this machine too. */
function cost(call, calls = 8000) {
  const round = () => {
    const before = process.cpuUsage()
    for (let i = 0; i < calls; i++) call(i % KINDS)
    return process.cpuUsage(before).user / calls
  }
  return Math.min(...Array.from({ length: 12 }, round)).toFixed(1)
}

console.log(`${cpus()[0]?.model}, Node ${process.version}; µs of CPU a call`)
console.log(`derive the seed     ${cost((i) => createHmac('sha256', key).update(String(i)).digest())}`)
console.log(`solve: check        ${cost((i) => checkProof(seeds[i], right[i]))}`)
console.log(`challenge: put      ${cost((i) => putProof(seeds[i], 1))}`)
console.log(`challenge: as JSON  ${cost((i) => JSON.stringify(putProof(seeds[i], 1)))}`)
