/** The page's Content-Security-Policy, as far as it concerns us: what it refused, and what to add. */
export interface Policy {
  /** Whether connections to the service were refused. */
  refusesService(): boolean
  end(): void
}

/** Directives that refused us. One list for all widgets of the page: each is told of once. */
const refused = new Set<string>()

/**
 * Listens for what is refused to us, and tells the page's maker once which directive is missing:
 * a widget that only "does not work" under a policy is the complaint we have read most often.
 */
export function watchPolicy(base: string): Policy {
  const origin = new URL(base).origin
  const onViolation = ({ effectiveDirective, blockedURI, disposition }: SecurityPolicyViolationEvent): void => {
    const isOurs = blockedURI.startsWith(origin) || (blockedURI.startsWith('blob') && /worker/.test(effectiveDirective))
    if (!isOurs || disposition === 'report' || refused.has(effectiveDirective)) return
    refused.add(effectiveDirective)
    const source = blockedURI.startsWith('blob') ? 'blob:' : origin
    // oxlint-disable-next-line eslint/no-console -- the one place where the page's maker will look
    console.warn(`svc-captcha: the page's Content-Security-Policy lacks "${effectiveDirective} ${source}"`)
  }
  document.addEventListener('securitypolicyviolation', onViolation)
  return {
    refusesService: () => refused.has('connect-src'),
    end: () => document.removeEventListener('securitypolicyviolation', onViolation),
  }
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}
let trusted: { createScriptURL(url: string): string } | undefined

/** The address of our own worker as pages with Trusted Types want it (`trusted-types svc-captcha`). */
export function trustedAddress(address: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  try {
    trusted ??= trustedTypes?.createPolicy('svc-captcha', { createScriptURL: (url) => url })
  } catch {
    // The page does not list the name: `new Worker` will say no, and the main thread does the work.
  }
  return trusted ? trusted.createScriptURL(address) : address
}
