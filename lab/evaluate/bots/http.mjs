import { chrome, post } from '../../attackers/wire.mjs'
import { solve } from '../../attackers/work.mjs'
import { CHROMIUM_AGENT } from './chromium.mjs'
import { ACTION, SITEKEY } from '../../stand/service.mjs'

/** What Debian's Chromium says where Chrome on Windows says something else. */
const DEBIAN = {
  'sec-ch-ua-platform': '"Linux"',
  'User-Agent': CHROMIUM_AGENT,
  'sec-ch-ua': '"Chromium";v="156", "Not(A:Brand";v="8"',
}
/** The headers of a Chromium that fetches across sites, in its spelling and order. */
export const perfectHeaders = ({ url }) =>
  chrome(new URL(url).origin).map(([name, value]) => [name, DEBIAN[name] ?? value])

/** What an HTTP library sends of itself. */
const libraryHeaders = ({ url }) => [
  ['User-Agent', 'python-requests/2.32.3'],
  ['Accept', '*/*'],
  ['Origin', new URL(url).origin],
  ['Content-Type', 'application/x-www-form-urlencoded'],
]

/**
 * A token without a browser: a challenge, honest work, a summary of one's own.
 * `patience`: milliseconds between challenge and solve; `share`: of the work that is done; `answers`: to the proof, by the challenge.
 */
export async function tokenOverHttp(
  stage,
  { signals, headers = libraryHeaders(stage), address, patience = 0, share = 1, answers },
) {
  const from = address === undefined ? [] : [['x-evaluate-address', address]]
  const call = async (operation, fields) => {
    const { body } = await post(`${stage.edge.url}/api/v1/${operation}`, fields, [
      ...headers,
      ...from,
    ])
    return body
  }
  const asked = { sitekey: SITEKEY, action: ACTION, ...(answers && { proof: 1 }) }
  const answer = await call('challenge', asked)
  if (!answer.challenge) throw new Error(`challenge: ${answer['error-codes']}`)
  const solution = await solve(answer.challenge, answer.work, share)
  // A part is taken once its time is over.
  const least = share < 1 ? answer.work.b + 1000 : 0
  await new Promise((resolve) => setTimeout(resolve, Math.max(patience, least)))
  const told = { ...signals, ...(answers && { proof: await answers(answer.challenge) }) }
  const { token, ...refused } = await call('solve', {
    challenge: answer.challenge,
    solution,
    signals: JSON.stringify(told),
  })
  if (!token) throw new Error(`solve: ${refused['error-codes']}`)
  return token
}

/** Hands the form in, as the page would. */
export async function submit({ url, who, customer }, token) {
  const fields = { ...who, terms: 'on', 'svc-response': token }
  await fetch(new URL('/sign-up', url), { method: 'POST', body: new URLSearchParams(fields) })
  await customer.form()
}

/**
 * A summary like a person's, and like no other: counts and times shaken by a tenth and rounded as they were, flags and
 * small numbers kept.
 */
export function invented(summary, dice) {
  if (typeof summary === 'number')
    return summary < 10 ? summary : shaken(summary, dice.between(0.9, 1.1))
  if (typeof summary !== 'object' || summary === null || Array.isArray(summary)) return summary
  return Object.fromEntries(
    Object.entries(summary).map(([name, value]) => [name, invented(value, dice)]),
  )
}

function shaken(n, factor) {
  const step = [100, 10, 5, 1].find((each) => n % each === 0)
  return Math.round((n * factor) / step) * step
}
