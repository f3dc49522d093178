import { isChromium, isFirefox } from './agents.ts'

/**
 * Whose TLS a JA4 text describes (FoxIO's specification: `a_b_c`, of which `b` is the hash of the sorted cipher suites,
 * and changes least from version to version).
 *
 * Measured on 2026-11-21, from the ClientHello on loopback: Chromium 156, Firefox 153, and the programs of Debian 12.
 * A value that is not in the table says nothing.
 */
const CLASS_OF: Readonly<Record<string, 'chromium' | 'firefox' | 'tool'>> = {
  '8daaf6152771': 'chromium',
  '86a278354501': 'firefox',
  // OpenSSL as curl, Ruby and `openssl` use it; Python; Node.js; PHP; wget.
  e8f1e7e78f70: 'tool',
  '85036bcba153': 'tool',
  a33745022dd6: 'tool',
  '479067518aa3': 'tool',
  '723694b0fccc': 'tool',
}

const JA4 = /^[tqd](?:13|12|11|10|s3|s2|00)[di]\d{4}[0-9a-z]{2}_([0-9a-f]{12})_[0-9a-f]{12}$/

/** @returns whether the agent names an engine, and the TLS is known and not of it. */
export function isTlsOfAnother(agent: string, ja4: string | undefined): boolean {
  const ciphers = ja4 === undefined ? undefined : JA4.exec(ja4)?.[1]
  const engine = ciphers === undefined ? undefined : CLASS_OF[ciphers]
  if (!engine) return false
  return (isChromium(agent) && engine !== 'chromium') || (isFirefox(agent) && engine !== 'firefox')
}
