/**
 * One attacker in a process of its own, so that its CPU time is its own. The parent answers proofs and is the customer:
 * it is asked by messages, and its time is not the attacker's.
 */
import { ATTACKERS } from './kinds/all.mjs'
import { unitCost } from './work.mjs'
import { stopWork } from './worker.mjs'

const waiting = new Map()
let last = 0
const ask = (question, value) =>
  new Promise((resolve) => {
    waiting.set(++last, resolve)
    process.send({ id: last, question, value })
  })

const aide = {
  answers: (challenge) => ask('answers', challenge),
  verify: (token) => ask('verify', token),
}

async function attack({ name, service, short }) {
  const attacker = ATTACKERS.find((each) => each.name === name)
  const unitBefore = unitCost()
  const from = process.cpuUsage()
  const outcome = await attacker.run({ service, aide }, short)
  const { user, system } = process.cpuUsage(from)
  await stopWork()
  const unitAfter = unitCost()
  const cpuSeconds = (user + system) / 1e6 + (outcome.otherCpuSeconds ?? 0)
  process.send(
    { outcome: { ...outcome, cpuSeconds, unitMicroseconds: (unitBefore + unitAfter) / 2 } },
    () => process.exit(),
  )
}

process.on('message', (message) => {
  if (message.start) void attack(message.start)
  else {
    waiting.get(message.id)?.(message.value)
    waiting.delete(message.id)
  }
})
