import { post } from '../attackers/wire.mjs'
import { solve } from '../attackers/work.mjs'
import { ACTION, SITEKEY } from '../stand/service.mjs'

/**
 * A genuine response token that has been verified once. Its score does not matter: it is used up either way.
 *
 * @throws {Error} where the service gives none
 */
export async function usedToken({ url, secret }) {
  const page = [
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Origin', 'http://localhost'],
    ['X-Forwarded-For', '198.51.100.250'],
  ]
  const { body: issued } = await post(`${url}/api/v1/challenge`, { sitekey: SITEKEY, action: ACTION }, page)
  const { challenge, work } = issued
  const { body } = await post(
    `${url}/api/v1/solve`,
    { challenge, solution: solve(challenge, work), signals: '{}' },
    page,
  )
  if (typeof body.token !== 'string') throw new Error(`no token: ${JSON.stringify(body)}`)
  await post(`${url}/api/v1/siteverify`, { secret, response: body.token }, page.slice(0, 1))
  return body.token
}
