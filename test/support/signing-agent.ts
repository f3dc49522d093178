/** An agent that signs its requests, by Cloudflare's own library: another program than the one that verifies. */
import { createPrivateKey, generateKeyPairSync, sign, type JsonWebKey } from 'node:crypto'
import { signatureHeaders } from 'web-bot-auth'
import { signerFromJWK } from 'web-bot-auth/crypto'

type Headers = Record<string, string>

export type SigningAgent = Awaited<ReturnType<typeof signingAgent>>

export async function signingAgent(address = 'https://agent.test') {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const secret: JsonWebKey = privateKey.export({ format: 'jwk' })
  const signer = await signerFromJWK({ ...secret, alg: 'EdDSA' } as never)
  return {
    /** What its operator publishes. */
    directory: JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }),
    /** Headers of a signed request at these Unix seconds, with `Signature-Agent` as the dictionary of the working group's draft. */
    async headers(url: string, now: number, method = 'POST'): Promise<Headers> {
      const agent = `agent1="${address}"`
      const request = new Request(url, { method, headers: { 'signature-agent': agent } })
      const made = await signatureHeaders(request, signer, {
        created: new Date(now * 1000),
        expires: new Date((now + 300) * 1000),
        key: 'agent1',
      })
      return {
        'signature-agent': agent,
        signature: made['Signature'],
        'signature-input': made['Signature-Input'],
      }
    },
    /** Signs whatever it is given: for what no honest agent sends. @param input the value of `Signature-Input`, without a label. */
    signBase: (base: string, input: string): Headers => ({
      'signature-input': `sig=${input}`,
      signature: `sig=:${sign(null, Buffer.from(base), createPrivateKey({ key: secret, format: 'jwk' })).toString('base64')}:`,
    }),
  }
}
