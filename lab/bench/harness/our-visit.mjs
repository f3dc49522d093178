import { randomInt } from 'node:crypto'
import { mouseUser } from '../../attackers/forge.mjs'
import { workFor } from '../../attackers/worker.mjs'
import { ACTION, SITEKEY } from '../../stand/service.mjs'

/** A request with the fields of a form. */
const form = (path, fields, headers = {}) => ({
  path,
  body: String(new URLSearchParams(fields)),
  type: 'application/x-www-form-urlencoded',
  headers,
})

/** Signals as the widget of a person with mouse and keys sends them. */
const SIGNALS = JSON.stringify(mouseUser({ n: 18_432 }, 9000))
/** Headers of one person's browser. Everybody comes from an address of their own. */
const browser = () => ({
  'User-Agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  'Accept-Language': 'en-US,en;q=0.9',
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
  Origin: 'http://localhost',
  'X-Forwarded-For': `${randomInt(11, 126)}.${randomInt(256)}.${randomInt(256)}.9`,
})
const browsers = new WeakMap()

/** The site. The server's part is the same at every level of work; all visits say the same of themselves, and are scored. */
export const POLICY = {
  score_threshold: 0,
  challenge_lifetime: '1h',
  work: { level: 0, max_level: 0 },
}

/** Solves the challenge of a visit, and returns the second request. */
export async function ourSolve(answers) {
  const [{ challenge, work }] = answers
  const fields = { challenge, solution: await workFor(challenge, work), signals: SIGNALS }
  return form('/api/v1/solve', fields, browsers.get(answers))
}

/**
 * Returns what makes the three requests of a visit, each from what the ones before were answered.
 *
 * @param {string} secret of the site
 * @param {typeof ourSolve} [solve] another that solves, for requests that are made once and sent to several processes
 */
export const ourCalls = (secret, solve = ourSolve, sitekey = SITEKEY) => [
  (answers) => {
    browsers.set(answers, browser())
    return form('/api/v1/challenge', { sitekey, action: ACTION }, browsers.get(answers))
  },
  solve,
  ([, { token }]) => form('/api/v1/siteverify', { secret, response: token, action: ACTION }),
]
