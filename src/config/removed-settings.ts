/**
 * Settings that do not exist, with the sentence that says what to use instead; one row a line.
 *
 * Keys are paths with list indexes left out: `sites[].receipt`, `redis.url`.
 */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  'sites[].bind': 'removed: compare the values that matter in your own handler',
  'sites[].receipt': 'removed: keep the answer of siteverify in your own log',
}
