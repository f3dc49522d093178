/** ALTCHA, as the Express guide of `altcha-lib` and the README of the widget show it. */
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { CappedMap, create, deriveHmacKeySecret, randomInt } from 'altcha-lib/frameworks/express'

/** The store that the library documents for several processes, with its atomic `setIfAbsent`. */
const redisStore = (redis) => ({
  get: (id) => redis.get(`altcha:${id}`),
  set: (id) => redis.set(`altcha:${id}`, 1, 'EX', 3600),
  setIfAbsent: async (id) => (await redis.set(`altcha:${id}`, 1, 'EX', 3600, 'NX')) === 'OK',
})

export default {
  name: 'ALTCHA',
  file: import.meta.filename,
  packages: ['altcha-lib', 'altcha'],
  guide: 'https://github.com/altcha-org/altcha-lib/blob/main/docs/express.md',
  stores: ['memory', 'Redis'],
  notes:
    'The first example in the README of altcha-lib has no store, so there a token counts until it expires; here it is the Express guide’s, with `CappedMap` or with Redis. ALTCHA Sentinel is a product apart, which was not run.',

  /** Mounts the peer's routes. Returns what says whether the fields of a form are accepted. */
  async serve(app, { redis, secret, isEasy }) {
    const keySecret = await deriveHmacKeySecret(secret)
    const store = redis ? redisStore(redis) : new CappedMap({ maxSize: 1000 })
    const altcha = create({
      hmacSignatureSecret: secret,
      hmacKeySignatureSecret: keySecret,
      createChallengeParameters: () => ({
        algorithm: 'PBKDF2/SHA-256',
        cost: 5000,
        // The server does the same for the smallest counter; only the visitor does less.
        counter: isEasy ? 0 : randomInt(5000, 10_000),
        expiresAt: new Date(Date.now() + 600_000),
      }),
      deriveKey,
      store,
    })
    app.get('/altcha/challenge', altcha.challengeHandler)
    return async (fields) => {
      const { error } = await altcha.verify(fields.altcha, deriveKey, secret, keySecret, store)
      return error === null
    }
  },

  files: { '/altcha.js': 'altcha/dist/main/altcha.min.js' },
  head: '<script async defer src="/altcha.js" type="module"></script>',
  widget: '<altcha-widget id="captcha" challenge="/altcha/challenge"></altcha-widget>',
  field: 'altcha',
  /** What a visitor presses: its id, role and name, a selector through open shadow trees, and an expression of the page for the same. */
  box: {
    id: 'altcha-checkbox-captcha',
    role: 'checkbox',
    label: 'I',
    selector: 'label[for=altcha-checkbox-captcha]',
    target: `document.querySelector('#altcha-checkbox-captcha')`,
  },

  /** A program that reads the protocol and does the work. */
  async work({ ask }) {
    const challenge = await ask('GET', '/altcha/challenge')
    return { challenge, solution: await solveChallenge({ challenge, deriveKey }) }
  },
  /** Hands its work in. Returns the fields that the form carries: the work itself is the token. */
  handIn: async (_server, work) => ({
    altcha: Buffer.from(JSON.stringify(work)).toString('base64'),
  }),
}
