import { isChromium, isFirefox, isTool, systemOf } from '../agents.ts'
import type { ScoreRule } from '../score-rule.ts'

/** What the server itself sees of the request. Absence is judged only where an agent claims an engine that always sends it. */
export const REQUEST_RULES: readonly ScoreRule[] = [
  {
    id: 40,
    name: 'tool-agent',
    family: 'request',
    reason: 'automation',
    weight: -4,
    when: ({ request }) => isTool(request.userAgent),
    evidence: 'RISK.md 1: plain HTTP clients.',
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
    evidence: 'RISK.md 1: spoofed agents; the client hints come from the engine.',
  },
]
