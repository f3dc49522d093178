/** What browsers say of a request besides its address: https://www.w3.org/TR/fetch-metadata/ */
import type { Visit } from './visit.ts'

/**
 * Reports whether the visitor will see the answer as a page. A service worker that passes a navigation on
 * (`fetch(event.request)`) changes its destination to `empty`, and in Firefox its mode to `same-origin`; `Accept` and
 * `Upgrade-Insecure-Requests` stay. Where the browser does not say, its `Accept` does.
 */
export function isNavigation({ method, headers }: Visit): boolean {
  if (method !== 'GET' && method !== 'POST') return false
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, accept = '' } = headers
  if (mode === 'navigate') return true
  if (mode === 'same-origin')
    return accept.startsWith('text/html') && headers['upgrade-insecure-requests'] === '1'
  if (mode !== undefined || dest !== undefined) return false
  return headers.upgrade === undefined && accept.includes('text/html')
}

/** Reports whether htmx follows a link by a script: it shows no refusal, but reloads its page where the answer says so. */
export const isBoostedLink = ({ method, headers }: Visit): boolean =>
  method === 'GET' && headers['hx-boosted'] === 'true'

/** Browsers without `Sec-Fetch-Site` send `Origin`: another port of the same host is another origin. */
export function isSameOrigin({ origin, headers }: Visit): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return origin !== undefined && headers.origin === origin
}
