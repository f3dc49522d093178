import { chromeMajor, isChromium, isFirefox, isPhone, isTool, systemOf } from '../agents.ts'
import type { ScoreRule } from '../score-rule.ts'
import type { RequestFacts } from '../signals.ts'

/** Rules on the request, as the server itself sees it. Absence is judged only where an agent claims an engine that always sends it. */
export const REQUEST_RULES: readonly ScoreRule[] = [
  {
    id: 40,
    name: 'tool-agent',
    family: 'request',
    reason: 'automation',
    weight: -4,
    when: ({ request }) => isTool(request.userAgent),
    evidence: 'docs/design/risk.md#http-client: plain HTTP clients.',
  },
  {
    id: 41,
    name: 'fetch-metadata',
    family: 'request',
    reason: 'environment',
    weight: 0.6,
    when: ({ request }) =>
      request.fetchMode === 'cors' &&
      request.fetchDest === 'empty' &&
      /^(same-site|cross-site|same-origin)$/.test(request.fetchSite ?? ''),
    evidence:
      'Every current engine sends Sec-Fetch-* to https and loopback (Fetch Metadata, W3C); easy to forge, so it adds little.',
  },
  {
    id: 42,
    name: 'fetch-metadata-wrong',
    family: 'request',
    reason: 'automation',
    weight: -2.5,
    when: ({ request }) =>
      request.fetchSite !== undefined &&
      (request.fetchMode !== 'cors' || request.fetchDest !== 'empty' || request.fetchSite === 'none'),
    evidence: "The widget's own fetch always says cors and empty; a page opened by hand says navigate.",
  },
  {
    id: 43,
    name: 'fetch-metadata-missing',
    family: 'request',
    reason: 'automation',
    weight: -2,
    when: ({ request }) =>
      request.trustworthy &&
      request.fetchSite === undefined &&
      (isChromium(request.userAgent) || isFirefox(request.userAgent)),
    evidence:
      'An agent string that claims an engine which always sends them; on plain http no engine does, so that is left out.',
  },
  {
    id: 44,
    name: 'language-missing',
    family: 'request',
    reason: 'environment',
    weight: -0.7,
    when: ({ request }) => request.acceptLanguage === undefined,
    evidence: 'Browsers always send Accept-Language; HTTP clients seldom do.',
  },
  {
    id: 45,
    name: 'client-hints-differ',
    family: 'request',
    reason: 'environment',
    weight: -1.2,
    when: ({ request }) => {
      const system = systemOf(request.userAgent)
      return request.clientPlatform !== undefined && system !== undefined && request.clientPlatform !== system
    },
    evidence: 'docs/design/risk.md#spoofed-agent: spoofed agents; the client hints come from the engine.',
  },
  {
    id: 130,
    name: 'client-hints-missing',
    family: 'request',
    reason: 'environment',
    weight: -0.8,
    when: ({ request }) =>
      request.trustworthy && request.clientHints === undefined && (chromeMajor(request.userAgent) ?? 0) >= 100,
    evidence: 'Chromium sends Sec-CH-UA to https and loopback since 89; a privacy extension may take it out.',
  },
  {
    id: 131,
    name: 'client-hints-of-another',
    family: 'request',
    reason: 'environment',
    weight: -1,
    when: ({ request: { clientHints, userAgent } }) => {
      if (clientHints === undefined) return false
      const major = chromeMajor(userAgent)
      return major === undefined ? isFirefox(userAgent) : !clientHints.includes(`"${major}"`)
    },
    evidence:
      'docs/design/risk.md#spoofed-agent: spoofed agents. Agent and hints come from one engine, and name one version.',
  },
  {
    id: 132,
    name: 'mobile-hint-differs',
    family: 'request',
    reason: 'environment',
    weight: -0.5,
    when: ({ request: { clientMobile, userAgent } }) =>
      (clientMobile === '?1' && !isPhone(userAgent)) || (clientMobile === '?0' && /Mobile/.test(userAgent)),
    evidence: 'docs/design/risk.md#spoofed-agent: spoofed agents. People who ask for the desktop site change both.',
  },
  {
    id: 133,
    name: 'accept-not-of-fetch',
    family: 'request',
    reason: 'environment',
    weight: -0.6,
    when: ({ request: { accept } }) => accept !== undefined && accept !== '*/*',
    evidence: "Fetch, 4.6: a script's own call says `*/*`, in every engine.",
  },
  {
    id: 134,
    name: 'encodings-not-of-browser',
    family: 'request',
    reason: 'environment',
    weight: -0.6,
    when: ({ request: { trustworthy, acceptEncoding, userAgent } }) =>
      acceptEncoding === undefined ||
      !/gzip/.test(acceptEncoding) ||
      (trustworthy && (isChromium(userAgent) || isFirefox(userAgent)) && !/br/.test(acceptEncoding)),
    evidence:
      'Every engine takes gzip, and Chromium and Firefox brotli over https and on loopback (WebKit over https only); many HTTP clients do not. Some proxies cut it.',
  },
  {
    id: 135,
    name: 'header-order-of-another',
    family: 'request',
    reason: 'automation',
    weight: -1,
    when: ({ request }) => isOutOfOrder(request),
    evidence:
      'Chromium 156 and Firefox 153, measured over HTTP/1.1: each writes Sec-Fetch-* in an order of its own, and Firefox Accept-* too. Chromium with the reduced Accept-Language writes that header elsewhere, so it is not judged there. Proxies that sort are left out.',
  },
]

/** Pairs of which each engine writes the first before the second. */
const ORDER = {
  chromium: [
    ['sec-fetch-site', 'sec-fetch-mode'],
    ['sec-fetch-mode', 'sec-fetch-dest'],
  ],
  firefox: [
    ['sec-fetch-dest', 'sec-fetch-mode'],
    ['sec-fetch-mode', 'sec-fetch-site'],
    ['accept-language', 'accept-encoding'],
  ],
} as const

function isOutOfOrder({ headerOrder, userAgent }: RequestFacts): boolean {
  if (!headerOrder) return false
  const place = (name: string): number => headerOrder.indexOf(name)
  const pairs = isFirefox(userAgent) ? ORDER.firefox : isChromium(userAgent) ? ORDER.chromium : []
  const present = pairs.filter(([one, other]) => place(one) >= 0 && place(other) >= 0)
  const wrong = present.filter(([one, other]) => place(one) > place(other))
  if (wrong.length === 0) return false
  const written = ['accept-encoding', 'accept-language', 'sec-fetch-dest', 'sec-fetch-mode', 'sec-fetch-site']
  const sorted = written.map(place).filter((at) => at >= 0)
  return !sorted.every((at, i) => i === 0 || at > sorted[i - 1]!)
}
