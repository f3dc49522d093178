import { decodeJwt } from 'jose'
import { ADDRESSES } from '../campaign.mjs'
import { mouseUser } from '../forge.mjs'
import { askFor, visit } from '../visit.mjs'

/** Visits of each address, one after the other; then its next challenges are looked at. */
const VISITS = 12
const LOOKS = 10

/**
 * Every number that a client sees in an answer of `challenge`, by its path. Times count from the challenge's own: when it
 * was asked for is no news to whoever asked.
 */
function visibleNumbers(answer) {
  const numbers = {}
  const claims = decodeJwt(answer.challenge)
  const walk = (value, path) => {
    if (typeof value === 'number')
      numbers[path] = value > 1e9 ? value - (claims.iat ?? value) : value
    else if (typeof value === 'string') numbers[`${path}.length`] = value.length
    else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) walk(each, `${path}.${name}`)
  }
  walk(claims, 'claims')
  walk(answer.work, 'work')
  walk(answer.expires_in, 'expires_in')
  return numbers
}

/**
 * Finds the field and the limit that tell the two sides apart best, and tries them on addresses that were held back. Returns
 * the share of the held-back samples that were told rightly.
 */
function bestClassifier(samples) {
  const learning = samples.filter(({ isHeldBack }) => !isHeldBack)
  const held = samples.filter(({ isHeldBack }) => isHeldBack)
  const fields = [...new Set(samples.flatMap(({ numbers }) => Object.keys(numbers)))]
  const rights = (set, { field, limit, isAbove }) =>
    set.filter(({ numbers, isBad }) => ((numbers[field] ?? -1) > limit === isAbove) === isBad)
      .length / set.length
  let best = { field: 'none', limit: Infinity, isAbove: true, learnt: 0 }
  for (const field of fields)
    for (const limit of new Set(learning.map(({ numbers }) => numbers[field] ?? -1)))
      for (const isAbove of [true, false]) {
        const learnt = rights(learning, { field, limit, isAbove })
        if (learnt > best.learnt) best = { field, limit, isAbove, learnt }
      }
  return { field: best.field, share: rights(held, best) }
}

/** Half of the addresses hand in summaries that score low, half such that pass; do their next challenges differ? */
export const ORACLE = {
  name: 'score oracle',
  what: 'a classifier on every number that the next challenges show: addresses whose forgeries fail against those that pass',
  policy: { work: { level: 0 } },
  async run(stage, short) {
    const perSide = short ? 16 : 50
    const samples = []
    const addresses = ADDRESSES.networks(perSide * 2)
    const one = async (address, index) => {
      const isBad = index % 2 === 1
      const summary = isBad ? () => ({}) : mouseUser
      for (let i = 0; i < VISITS; i++)
        await visit(stage.service, stage.aide, { address, summary, patience: 2500 })
      for (let i = 0; i < LOOKS; i++) {
        const { status, body } = await askFor(stage.service, address)
        if (status === 200)
          samples.push({ isBad, isHeldBack: index % 4 > 1, numbers: visibleNumbers(body) })
      }
    }
    await Promise.all(addresses.map(one))
    const { field, share } = bestClassifier(samples)
    return { challenges: samples.length, oracle: { field, share } }
  },
}
