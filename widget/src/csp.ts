/** What the page's Content-Security-Policy refused us. One list for all widgets of the page: each source is told of once. */
const lacking = new Set<string>()

/** Returns the sources to add, as they have to be written: `connect-src https://verify.example.com`. */
export const missingSources = (): readonly string[] => [...lacking]

/** Reports whether connections to the service were refused. */
export const isRefused = (base: string): boolean => lacking.has(`connect-src ${new URL(base).origin}`)

/**
 * Listens for what is refused to us, and tells the page's maker once which directive is missing:
 * a widget that only "does not work" under a policy is the complaint we have read most often.
 *
 * @param base the service's address, with a slash at its end.
 */
export function watchPolicy(base: string, signal: AbortSignal): void {
  const { origin } = new URL(base)
  const onViolation = (event: SecurityPolicyViolationEvent): void => {
    if (event.disposition === 'report') return
    const source = sourceOf(event, base, origin)
    const directive = `${directiveOf(event)} ${source}`
    if (!source || lacking.has(directive)) return
    lacking.add(directive)
    // oxlint-disable-next-line eslint/no-console -- the one place where the page's maker will look
    console.warn(`svc-captcha: the page's Content-Security-Policy lacks "${directive}"`)
  }
  document.addEventListener('securitypolicyviolation', onViolation, { signal })
}

/** Returns the source that would have let it pass; undefined where the request was not ours. */
function sourceOf(
  { effectiveDirective, blockedURI, sample }: SecurityPolicyViolationEvent,
  base: string,
  origin: string,
): string | undefined {
  // With Trusted Types the address says only `trusted-types-policy`; the sample is the name.
  if (effectiveDirective.startsWith('trusted-types')) return sample.startsWith(NAME) ? NAME : undefined
  if (blockedURI.startsWith('blob')) return effectiveDirective.startsWith('worker') ? 'blob:' : undefined
  // Some browsers report no more than the origin of another site; on our own, the page has files besides ours.
  const isOurs =
    blockedURI.startsWith(`${base}assets/captcha`) ||
    blockedURI.startsWith(`${base}api/v1/`) ||
    (origin !== location.origin && blockedURI.replace(/\/$/, '') === origin)
  return isOurs ? origin : undefined
}

/** The directive to write: a policy that has no `script-src-elem` needs none for us either. */
const directiveOf = ({ effectiveDirective, originalPolicy }: SecurityPolicyViolationEvent): string =>
  originalPolicy.includes(effectiveDirective) ? effectiveDirective : effectiveDirective.replace(/-elem$/, '')

/** The name of our Trusted Types policy. */
const NAME = 'svc-captcha'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}
let trusted: { createScriptURL(url: string): string } | undefined

/** The address of our own worker as pages with Trusted Types want it (`trusted-types svc-captcha`). */
export function trustedAddress(address: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  try {
    trusted ??= trustedTypes?.createPolicy(NAME, { createScriptURL: (url) => url })
  } catch {
    // The page does not list the name: `new Worker` will say no; the next rung needs no such policy.
  }
  return trusted ? trusted.createScriptURL(address) : address
}
