import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { ROOT } from './machine.mjs'
import { PERSON, PERSONS_HEADERS } from './person.mjs'
import { ORIGIN, SITEKEY } from './service.mjs'

const { honestWork } = await import(join(ROOT, 'dist/doctor/visitor.js'))

/**
 * Settings of a service for whole visits. The server's part is the same at every level, so the load generator gets the least. The
 * threshold is 0, because all visits say the same of themselves; they are scored all the same.
 */
export const FOR_VISITS = {
  level: 0,
  maxLevel: 0,
  policy: 'score_threshold: 0',
  more: 'trusted_proxies: [127.0.0.0/8]\n',
}

/** A request with a form in its body, for `visits`. */
export const form = (path, fields, headers = {}) => ({
  path,
  body: String(new URLSearchParams(fields)),
  type: 'application/x-www-form-urlencoded',
  headers,
})

/** The three calls of a visit of ours, for `visits`. Everybody comes from an address of their own. */
export function ourVisit({ secret }) {
  const heads = new WeakMap()
  const page = () => ({
    ...PERSONS_HEADERS,
    Origin: ORIGIN,
    'X-Forwarded-For': `${randomInt(11, 126)}.${randomInt(256)}.${randomInt(256)}.9`,
  })
  return {
    calls: [
      (answers) => {
        heads.set(answers, page())
        return form('/api/v1/challenge', { sitekey: SITEKEY, action: 'sign-up' }, heads.get(answers))
      },
      (answers) => {
        const [{ challenge, work }] = answers
        const fields = { challenge, solution: honestWork(challenge, work), signals: PERSON }
        return form('/api/v1/solve', fields, heads.get(answers))
      },
      ([, { token }]) => form('/api/v1/siteverify', { secret, response: token, action: 'sign-up' }),
    ],
    isDone: ({ success }) => success,
  }
}
