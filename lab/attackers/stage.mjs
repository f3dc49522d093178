import { fork } from 'node:child_process'
import { join } from 'node:path'
import { dist } from '../stand/machine.mjs'
import { ACTION, SITEKEY, startService, tokensOf } from '../stand/service.mjs'
import { post } from './wire.mjs'

const PAGE = 'https://localhost'

/**
 * A service that has seen nobody, and beside it the customer and the holder of the service's keys. Right answers come from the
 * keys: no emulator can be cheaper, so the prices are a lower bound, and the repository ships no emulator. `policy` has
 * settings of the site.
 */
export async function openStage(policy) {
  const service = await startService({ policy })
  const answers = await answersBy(service.keyring)
  return {
    service: { url: service.url, page: PAGE, sitekey: SITEKEY, action: ACTION },
    aide: {
      answers,
      async verify(response) {
        const form = [['Content-Type', 'application/x-www-form-urlencoded']]
        const { body } = await post(
          `${service.url}/api/v1/siteverify`,
          { secret: service.secret, response },
          form,
        )
        return body
      },
    },
    close: service.stop,
  }
}

/** Answers proofs by the service's file of keys. */
export async function answersBy(file) {
  const { rightAnswers } = await dist('proof/proof.js')
  const { proofSeeds } = await dist('claims/tokens.js')
  const tokens = await tokensOf(file)
  return async (challenge) => {
    const claims = await tokens.openChallenge(challenge, Math.floor(Date.now() / 1000))
    if (typeof claims === 'string') throw new Error(`the challenge is ${claims}`)
    return proofSeeds(tokens, claims).flatMap((seed) => rightAnswers(seed))
  }
}

/** Runs one attacker in a process of its own, and returns its outcome. */
export function attackFrom({ service, aide }, { name, short }) {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'attacker-process.mjs'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const kill = () => child.kill('SIGKILL')
    process.once('exit', kill)
    child.once('exit', (code) => {
      process.off('exit', kill)
      reject(new Error(`${name} ended with ${code} and no outcome`))
    })
    child.on('message', async ({ id, question, value, outcome }) => {
      if (outcome) resolve(outcome)
      else child.send({ id, value: await aide[question](value) })
    })
    child.send({ start: { name, service, short } })
  })
}
