import { ourCalls, ourSolve } from '../bench/harness/our-visit.mjs'
import { pause } from '../stand/processes.mjs'
import { REGIONS } from './layouts.mjs'

const ACTION_FIELDS = 'application/x-www-form-urlencoded'

async function ask(url, { path, body, type = ACTION_FIELDS, headers }) {
  const asked = { method: 'POST', body, headers: { 'Content-Type': type, ...headers } }
  const from = performance.now()
  try {
    const res = await fetch(url + path, { ...asked, signal: AbortSignal.timeout(6000) })
    const answer = await res.json()
    return { status: res.status, body: answer, ms: performance.now() - from }
  } catch {
    return { status: 0, body: {}, ms: performance.now() - from }
  }
}

/** What is asked at the entrances and what was answered: everything is counted from answers alone. */
function openBooks(entrances) {
  /** How often each token was accepted, and where to present it again. */
  const tokens = []
  const asked = []
  const at = { phase: 'up', presented: 0 }

  function note(operation, who, { status, ms, body }) {
    const code = body['error-codes']?.[0] ?? (status === 200 ? 'none' : 'no answer')
    asked.push({ operation, ...who, phase: at.phase, status, ms, code })
  }
  return {
    asked,
    tokens,
    at,
    /** Presents a token. @returns whether it was accepted */
    async verify(token, region, isCounted = false) {
      const calls = ourCalls(token.site.secret, ourSolve, token.site.sitekey)
      const answer = await ask(entrances[region], calls[2]([undefined, { token: token.text }]))
      at.presented++
      if (answer.body.success === true) token.accepted++
      if (isCounted) note('siteverify', { region, site: token.site }, answer)
      return answer.body.success === true
    },
    /** Challenge, work, solve. @returns a token; undefined: the service gave none */
    async visit(site, region) {
      const answers = []
      const calls = ourCalls(site.secret, ourSolve, site.sitekey)
      for (const [i, operation] of ['challenge', 'solve'].entries()) {
        const answer = await ask(entrances[region], await calls[i](answers))
        note(operation, { region, site }, answer)
        if (answer.status !== 200) return undefined
        answers.push(answer.body)
      }
      const token = { text: answers[1].token, site, region, accepted: 0 }
      if (token.text === undefined) return undefined
      tokens.push(token)
      return token
    },
  }
}

/**
 * Starts visitors, customers' servers and replayers in both regions.
 *
 * @param {{ entrances: Record<string, string>, sites: object[] }} world
 */
export function startLoad({ entrances, sites }) {
  const books = openBooks(entrances)
  const { verify, visit } = books
  const end = new AbortController()
  const everywhere = (token) =>
    Promise.all([...REGIONS, ...REGIONS].map((region) => verify(token, region)))

  /** A visitor and a customer's server of one region; what they got in with is presented again at every entrance. */
  async function user(site, region) {
    for (; !end.signal.aborted; await pause(120)) {
      const token = await visit(site, region)
      if (token && (await verify(token, region, true))) await everywhere(token)
    }
  }
  /** Presents a token at every entrance at once. */
  async function racer(site, region) {
    for (; !end.signal.aborted; await pause(250)) {
      const token = await visit(site, region)
      if (token) await everywhere(token)
    }
  }

  const loops = sites.flatMap((site) =>
    REGIONS.flatMap((region) => [user(site, region), user(site, region), racer(site, region)]),
  )
  return {
    ...books,
    /** Gets tokens that nobody presents yet. */
    async hoard(count) {
      const one = async (i) => visit(sites[i % sites.length], REGIONS[(i >> 1) % 2])
      const got = await Promise.all(Array.from({ length: count }, (_, i) => one(i)))
      return got.filter((token) => token !== undefined)
    },
    spend: (held) => Promise.all(held.map(everywhere)),
    /** Milliseconds until a new visit is accepted at an entrance. */
    async fresh(site, region) {
      const from = performance.now()
      for (; performance.now() - from < 60_000; await pause(20)) {
        const token = await visit(site, region)
        if (token && (await verify(token, region))) return performance.now() - from
      }
      throw new Error(`nobody got in at ${region} for a minute`)
    },
    async stop() {
      end.abort()
      await Promise.all(loops)
    },
  }
}
