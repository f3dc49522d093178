/** Cap, as its guide to `@cap.js/server` and `@cap.js/widget` shows it, behind Express. */
import { hash } from 'node:crypto'
import Cap from '@cap.js/server'

/** The storage hooks of the guide, whose example is SQL, for Redis: it expires the keys, so nothing is left to delete. */
export function redisStorage(redis) {
  const deleteExpired = async () => {}
  return {
    challenges: {
      store: async (token, data) =>
        void (await redis.set(`cap:c:${token}`, JSON.stringify(data), 'PXAT', data.expires)),
      read: async (token) => JSON.parse(await redis.get(`cap:c:${token}`)),
      delete: async (token) => void (await redis.del(`cap:c:${token}`)),
      deleteExpired,
    },
    tokens: {
      store: async (key, expires) =>
        void (await redis.set(`cap:t:${key}`, expires, 'PXAT', expires)),
      get: async (key) => Number(await redis.get(`cap:t:${key}`)) || null,
      delete: async (key) => void (await redis.del(`cap:t:${key}`)),
      deleteExpired,
    },
  }
}

/** The pseudo-random texts of a challenge: FNV-1a of a seed, then xorshift. */
function textOf(seed, length) {
  let state = 2166136261
  for (const letter of seed) {
    state ^= letter.codePointAt(0)
    state += (state << 1) + (state << 4) + (state << 7) + (state << 8) + (state << 24)
  }
  state >>>= 0
  let text = ''
  while (text.length < length) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    text += (state >>> 0).toString(16).padStart(8, '0')
  }
  return text.slice(0, length)
}

/** The least number whose hash, after the salt, begins with the target. */
function nonceFor(salt, target) {
  for (let nonce = 0; ; nonce++)
    if (hash('sha256', salt + nonce, 'hex').startsWith(target)) return nonce
}

/** Solves a challenge as the widget does. */
export const solutionsOf = ({ token, challenge: { c, s, d } }) =>
  Array.from({ length: c }, (_, i) =>
    nonceFor(textOf(`${token}${i + 1}`, s), textOf(`${token}${i + 1}d`, d)),
  )

export default {
  name: 'Cap',
  file: import.meta.filename,
  packages: ['@cap.js/server', '@cap.js/widget'],
  guide: 'https://github.com/tiagozip/cap/blob/main/docs/guide/server.md',
  /** The quick start keeps tokens in a file and challenges in memory; the guide to the server recommends a database. */
  stores: ['file', 'Redis'],
  notes:
    'Cap’s guide to the server has hooks that read and then delete, so two requests at once may both read; a hook that does both in one command is left to the operator. Its Standalone server and `capjs-core` are not on npm and were not run.',

  /** Mounts the peer's routes. Returns what says whether the fields of a form are accepted. */
  serve(app, { redis, folder, isEasy }) {
    const store = redis
      ? { storage: redisStorage(redis) }
      : { tokens_store_path: `${folder}/tokensList.json` }
    const cap = new Cap(store)
    app.post('/cap/challenge', async (_req, res) => {
      // The server does the same for the least difficulty; only the visitor does less.
      res.json(await cap.createChallenge(isEasy ? { challengeDifficulty: 1 } : undefined))
    })
    app.post('/cap/redeem', async (req, res) => {
      const { token, solutions } = req.body
      if (!token || !solutions) return res.status(400).json({ success: false })
      res.json(await cap.redeemChallenge({ token, solutions }))
    })
    return async (fields) => (await cap.validateToken(fields['cap-token'])).success
  },

  files: {
    '/cap.js': '@cap.js/widget/cap.min.js',
    '/cap_wasm_bg.wasm': '@cap.js/wasm/browser/cap_wasm_bg.wasm',
  },
  /** The widget's default is a third party's address for its WebAssembly; here the same file comes from the customer's origin. */
  head: `<script>window.CAP_CUSTOM_WASM_URL = '/cap_wasm_bg.wasm'</script><script src="/cap.js"></script>`,
  widget: '<cap-widget id="cap" data-cap-api-endpoint="/cap/"></cap-widget>',
  field: 'cap-token',
  /** What a visitor presses: its id, role and name, a selector through open shadow trees, and an expression of the page for the same. */
  box: {
    id: 'cap',
    role: 'button',
    label: 'Click to verify',
    selector: '#cap [role=button]',
    target: `document.querySelector('#cap').shadowRoot?.querySelector('[role=button]')`,
  },

  /** A program that reads the protocol and does the work. */
  async work({ ask }) {
    const challenge = await ask('POST', '/cap/challenge', {})
    return { token: challenge.token, solutions: solutionsOf(challenge) }
  },
  /** Hands its work in. Returns the fields that the form carries. */
  async handIn({ ask }, work) {
    const { token } = await ask('POST', '/cap/redeem', work)
    return { 'cap-token': token }
  },
}
