import { request } from 'node:http'
import { ACTION, SITEKEY } from '../../stand/service.mjs'
import { solve } from './solve.mjs'

export const CHROMIUM_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

/** The headers of a Chromium that fetches across sites, in its spelling and order. */
export const perfectHeaders = ({ url }) => [
  ['sec-ch-ua-platform', '"Linux"'],
  ['User-Agent', CHROMIUM_AGENT],
  ['sec-ch-ua', '"Chromium";v="156", "Not(A:Brand";v="8"'],
  ['Content-Type', 'application/x-www-form-urlencoded;charset=UTF-8'],
  ['sec-ch-ua-mobile', '?0'],
  ['Accept', '*/*'],
  ['Origin', new URL(url).origin],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Sec-Fetch-Mode', 'cors'],
  ['Sec-Fetch-Dest', 'empty'],
  ['Referer', url],
  ['Accept-Encoding', 'gzip, deflate, br, zstd'],
  ['Accept-Language', 'en-GB,en-US;q=0.9,en;q=0.8'],
]

/** What an HTTP library sends of itself. */
export const libraryHeaders = ({ url }) => [
  ['User-Agent', 'python-requests/2.32.3'],
  ['Accept', '*/*'],
  ['Origin', new URL(url).origin],
  ['Content-Type', 'application/x-www-form-urlencoded'],
]

/**
 * A token without a browser: a challenge, honest work, a summary of one's own.
 *
 * @param {object} stage
 * @param {{ signals: object | ((answer: object) => object), headers?: [string, string][], address?: string, patience?: number }} what
 *   `signals`: the summary, or how to make it from the challenge's answer; `patience`: milliseconds between challenge and solve
 * @returns {Promise<string>}
 */
export async function tokenOverHttp(stage, { signals, headers = libraryHeaders(stage), address, patience = 0 }) {
  const from = address === undefined ? [] : [['x-evaluate-address', address]]
  const call = (operation, fields) => post(`${stage.edge.url}/api/v1/${operation}`, fields, [...headers, ...from])
  const answer = await call('challenge', { sitekey: SITEKEY, action: ACTION })
  if (!answer.challenge) throw new Error(`challenge: ${answer['error-codes']}`)
  const solution = await solve(answer.challenge, answer.work)
  await new Promise((resolve) => setTimeout(resolve, patience))
  const summary = typeof signals === 'function' ? signals(answer) : signals
  const { token, ...refused } = await call('solve', {
    challenge: answer.challenge,
    solution,
    signals: JSON.stringify(summary),
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

/** Headers go out exactly as they stand: `fetch` would add some of its own. */
function post(url, fields, headers) {
  const body = String(new URLSearchParams(fields))
  const raw = [['Host', new URL(url).host], ['Connection', 'keep-alive'], ['Content-Length', body.length], ...headers]
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers: raw.flat().map(String) }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      try {
        resolve(JSON.parse(text))
      } catch (error) {
        reject(error)
      }
    })
    asked.once('error', reject)
    asked.end(body)
  })
}
