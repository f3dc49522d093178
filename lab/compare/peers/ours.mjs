/** This service, as README and docs/start/own-site.md show it, behind one proxy. */
import { readFileSync } from 'node:fs'
import { keyboardUser } from '../../attackers/forge.mjs'
import { answersBy } from '../../attackers/stage.mjs'
import { chrome, post } from '../../attackers/wire.mjs'
import { solve } from '../../attackers/work.mjs'
import { ACTION, SITEKEY, startService } from '../../stand/service.mjs'

const NO_LIMITS = '100000000 per 1m'
/** For what has nothing to do with scores and rates: every token is accepted, the work is the least, no limit is in the way. */
const EASY = {
  policy: { score_threshold: 0, work: { level: 0, max_level: 0 } },
  settings: { limits: { challenge: NO_LIMITS, solve: NO_LIMITS, siteverify: NO_LIMITS } },
}

/** A driven browser scores low, and what it waits for is not what it scores. */
const DRIVEN = { policy: { score_threshold: 0 } }

/** Milliseconds between challenge and solve that a forged summary of a keyboard's user claims. */
const CLAIMED_MS = 5000
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const call = async ({ url, address }, operation, fields) => {
  const headers = [...chrome('http://localhost'), ['X-Forwarded-For', address()]]
  const { body, retryAfter } = await post(`${url}/api/v1/${operation}`, fields, headers)
  const [code] = body['error-codes'] ?? []
  if (code) throw Object.assign(new Error(`${operation}: ${code}`), { retryAfter })
  return body
}

export default {
  name: 'human-verification',
  file: import.meta.filename,
  packages: [],
  guide: 'README.md',
  stores: ['memory', 'Redis'],
  /** Its score judges what a browser says of itself, so a program may forge that. */
  canForge: true,
  notes:
    'This service judges a visit by a score, and `step_up` is off, as it is by default; the others do not judge. A program that forges what a browser says is in the row after the honest one, with the price list behind it.',

  /** Starts it. `setUp.keys` keeps the keyring, so that the next process opens the tokens of this one. */
  async start(setUp) {
    const { redisUrl, isEasy, isDriven, keys } = setUp
    const service = await startService({
      redisUrl,
      keys,
      ...(isDriven && DRIVEN),
      ...(isEasy && EASY),
    })
    setUp.keys ??= readFileSync(service.keyring, 'utf8')
    return {
      ...service,
      async accepts({ 'svc-response': response = '' }) {
        const body = new URLSearchParams({ secret: service.secret, response, action: ACTION })
        const signal = AbortSignal.timeout(20_000)
        const answer = await fetch(`${service.url}/api/v1/siteverify`, {
          method: 'POST',
          body,
          signal,
        })
        return (await answer.json()).success === true
      },
    }
  },

  head: (edge) => `<script src="${edge}/assets/captcha.js?v=1" defer></script>`,
  widget: (edge) =>
    `<div class="svc-captcha" data-sitekey="${SITEKEY}" data-action="${ACTION}" data-api-base="${edge}/"></div>`,
  field: 'svc-response',
  /** Nothing has to be pressed: the work begins with the first touch of the form. */
  box: undefined,

  /** A program that reads the protocol and does the work; `server.forges`: and says what a keyboard's user would. */
  async work(server) {
    const asked = { sitekey: SITEKEY, action: ACTION, ...(server.forges && { proof: 1 }) }
    const { challenge, work } = await call(server, 'challenge', asked)
    const began = performance.now()
    const solution = await solve(challenge, work)
    if (!server.forges) return { challenge, solution, signals: '{}' }
    server.answers ??= await answersBy(server.keyring)
    const proof = await server.answers(challenge)
    await pause(CLAIMED_MS - (performance.now() - began))
    const signals = JSON.stringify({ ...keyboardUser({ n: work.n }, CLAIMED_MS), proof })
    return { challenge, solution, signals }
  },
  /** Hands its work in. Returns the fields that the form carries. */
  async handIn(server, work) {
    const { token } = await call(server, 'solve', work)
    return { 'svc-response': token }
  },
}
