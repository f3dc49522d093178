/**
 * Settings that do not exist, with the sentence that says what to use instead; one row a line.
 *
 * Keys are paths with list indexes left out: `sites[].receipt`, `redis.url`.
 */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  'sites[].bind': 'removed: compare the values that matter in your own handler',
  hsts: 'removed: let the proxy that ends TLS set Strict-Transport-Security (deploy/ has the line)',
  proxy_protocol: 'removed: let the proxy read HTTP and set X-Forwarded-For (deploy/ has samples)',
  'sites[].receipt': 'removed: keep the answer of siteverify in your own log',
}
