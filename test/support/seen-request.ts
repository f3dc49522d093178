import type { RequestFacts } from '../../src/score/signals.ts'

export const CHROMIUM =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

/** What the service sees of the request of an ordinary Chromium on Linux, for tests of what is made of it. */
export const CHROMIUM_REQUEST: RequestFacts = {
  userAgent: CHROMIUM,
  fetchSite: 'cross-site',
  fetchMode: 'cors',
  fetchDest: 'empty',
  clientHints: '"Chromium";v="156"',
  origin: 'https://shop.example.com',
}
