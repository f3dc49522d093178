import { request as plain } from 'node:http'
import { request as secure, type RequestOptions } from 'node:https'
import { rootCertificates } from 'node:tls'
import type { Ask } from './diagnosis.ts'

/** Bytes of an answer that are read; captcha.js has 40 kB. */
const LONGEST = 10_000_000

/**
 * Asks like `fetch`, and trusts one more certificate authority. `fetch` of Node.js 20 cannot be told of one while the
 * process runs. Redirects are answers, and a body is text or a form.
 *
 * @param ca certificates, PEM.
 */
export const askTrusting =
  (ca: string): Ask =>
  async (url, { method = 'GET', body, headers, signal } = {}) => {
    const request = new Request(url, { method, ...(body && { body }), ...(headers && { headers }) })
    // `Request` alone drops what a page may not set, such as `Origin`.
    const fields = { ...Object.fromEntries(request.headers), ...Object.fromEntries(new Headers(headers)) }
    return exchange(
      url,
      { method, headers: fields, ...(signal && { signal }), ca: [...rootCertificates, ca] },
      await request.text(),
    )
  }

function exchange(url: URL, options: RequestOptions, body: string): Promise<Response> {
  return new Promise((resolve, reject) => {
    const req = url.protocol === 'https:' ? secure(url, options) : plain(url, options)
    req.once('error', reject)
    req.once('response', (res) => {
      const pieces: Buffer[] = []
      let length = 0
      res.on('data', (piece: Buffer) => {
        length += piece.length
        if (length > LONGEST) res.destroy(new Error('the answer is too long to be the service’s'))
        else pieces.push(piece)
      })
      res.once('error', reject)
      res.once('end', () => {
        const { statusCode: status = 500, rawHeaders } = res
        const headers = new Headers()
        for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!)
        const isBare = status === 204 || status === 304
        resolve(new Response(isBare ? null : Buffer.concat(pieces), { status, headers }))
      })
    })
    req.end(body)
  })
}
