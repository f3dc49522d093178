import { tellDeveloper } from './developer-log.ts'

/** The sources that the page's Content-Security-Policy blocked, for all its widgets; each is logged once. */
const missing = new Set<string>()

/** Returns the sources to add, as they are written in a policy: `connect-src https://verify.example.com`. */
export const missingSources = (): readonly string[] => [...missing]

/** Reports whether the policy blocks connections to the service. */
export const isRefused = (base: string): boolean =>
  missing.has(`connect-src ${new URL(base).origin}`)

/** Logs each directive that the page's policy lacks for the widget. @param base the service's address, ending with a slash. */
export function watchCsp(base: string, signal: AbortSignal): void {
  const { origin } = new URL(base)
  const onViolation = (event: SecurityPolicyViolationEvent): void => {
    if (event.disposition === 'report') return
    const source = sourceOf(event, base, origin)
    const directive = `${directiveOf(event)} ${source}`
    if (!source || missing.has(directive)) return
    missing.add(directive)
    tellDeveloper('warn', `the page's Content-Security-Policy lacks "${directive}"`)
  }
  document.addEventListener('securitypolicyviolation', onViolation, { signal })
}

/** Returns the source that would have allowed a request; undefined if the request was not ours. */
function sourceOf(
  { effectiveDirective, blockedURI, sample }: SecurityPolicyViolationEvent,
  base: string,
  origin: string,
): string | undefined {
  // With Trusted Types the URI is only `trusted-types-policy`; the sample is the name.
  if (effectiveDirective.startsWith('trusted-types'))
    return sample.startsWith(NAME) ? NAME : undefined
  if (blockedURI.startsWith('blob'))
    return effectiveDirective.startsWith('worker') ? 'blob:' : undefined
  // Some browsers report only the origin of a cross-origin request; on our own origin the page has other files.
  const isOurs =
    blockedURI.startsWith(`${base}assets/captcha`) ||
    blockedURI.startsWith(`${base}api/v1/`) ||
    (origin !== location.origin && blockedURI.replace(/\/$/, '') === origin)
  return isOurs ? origin : undefined
}

/** Returns the directive to write: a policy without `script-src-elem` does not need one for the widget either. */
const directiveOf = ({
  effectiveDirective,
  originalPolicy,
}: SecurityPolicyViolationEvent): string =>
  originalPolicy.includes(effectiveDirective)
    ? effectiveDirective
    : effectiveDirective.replace(/-elem$/, '')

/** The name of our Trusted Types policy. */
const NAME = 'svc-captcha'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): typeof rules
}
let trusted: Parameters<TrustedTypes['createPolicy']>[1] | undefined

/** Returns a worker's address as pages with Trusted Types require it (`trusted-types svc-captcha`). */
export function trustedAddress(address: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  try {
    trusted ??= trustedTypes?.createPolicy(NAME, { createScriptURL: (url) => url })
  } catch {
    // The page does not list the name: `new Worker` will throw, and the next way to start one needs no policy.
  }
  return trusted ? trusted.createScriptURL(address) : address
}
