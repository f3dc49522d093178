/** An agent that signs its requests, by Cloudflare's own library: another program than the one that verifies. */
import { createPrivateKey, generateKeyPairSync, sign, type JsonWebKey } from 'node:crypto'
import { signatureHeaders } from 'web-bot-auth'
import { signerFromJWK } from 'web-bot-auth/crypto'

type Headers = Record<string, string>

export interface SigningAgent {
  /** What its operator publishes. */
  readonly directory: string
  /**
   * Headers of a signed request, with `Signature-Agent` as the dictionary of the working group's draft.
   *
   * @param now Unix seconds.
   */
  headers(url: string, now: number, method?: string): Promise<Headers>
  /** The same with `Signature-Agent` as one string, as before. */
  olderHeaders(url: string, now: number): Promise<Headers>
  /** Signs whatever it is given: for what no honest agent sends. @param input the value of `Signature-Input`, without a label. */
  signBase(base: string, input: string): Headers
}

export async function signingAgent(address = 'https://agent.test'): Promise<SigningAgent> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const secret: JsonWebKey = privateKey.export({ format: 'jwk' })
  const signer = await signerFromJWK({ ...secret, alg: 'EdDSA' } as never)
  const make = async (url: string, now: number, agent: string, key: string | undefined, method = 'POST') => {
    const request = new Request(url, { method, headers: { 'signature-agent': agent } })
    const params = { created: new Date(now * 1000), expires: new Date((now + 300) * 1000) }
    const made = await signatureHeaders(request, signer, key === undefined ? params : { ...params, key })
    return { 'signature-agent': agent, signature: made['Signature'], 'signature-input': made['Signature-Input'] }
  }
  return {
    directory: JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }),
    headers: (url, now, method) => make(url, now, `agent1="${address}"`, 'agent1', method),
    olderHeaders: (url, now) => make(url, now, `"${address}"`, undefined),
    signBase: (base, input) => ({
      'signature-input': `sig=${input}`,
      signature: `sig=:${sign(null, Buffer.from(base), createPrivateKey({ key: secret, format: 'jwk' })).toString('base64')}:`,
    }),
  }
}
