import { expect } from '@jest/globals'
import { CODES } from '../../../src/domain/codes.ts'
import { SHAPES } from '../../../src/http/vendor-shapes.ts'
import { SITEKEY } from '../../support/app.ts'
import type { Answer, Edge } from './edge.ts'

const PATHS = Object.values(SHAPES).map(({ path }) => path.replace('{sitekey}', SITEKEY))

interface Said {
  readonly success: boolean
  readonly 'error-codes': readonly string[]
}
const said = ({ text }: Answer): Said => JSON.parse(text) as Said

/**
 * Sends what is sent to siteverify in the shape of every other service as well, afterwards: what consumed no token is refused there
 * with the same codes, and nothing is accepted.
 */
export function alsoInEveryShape(e: Edge): Edge {
  const ask = e.ask.bind(e)
  e.ask = async (request, options) => {
    const answer = await ask(request, options)
    if (typeof request === 'string' || Buffer.isBuffer(request)) return answer
    const { path = '/api/v1/siteverify', method = 'POST' } = request
    if (path !== '/api/v1/siteverify' || method !== 'POST') return answer
    const codes = said(answer)['error-codes']
    const isSame = codes.every((code) => code === 'invalid-input-response' || !isJudged(code))
    for (const shaped of PATHS) {
      const other = await ask({ ...request, path: shaped }, options)
      expect([shaped, said(other).success]).toEqual([shaped, false])
      const status = answer.status === 400 ? 200 : answer.status
      if (codes.length > 0 && isSame)
        expect([shaped, other.status, said(other)['error-codes']]).toEqual([shaped, status, codes])
    }
    return answer
  }
  return e
}

const isJudged = (code: string): boolean => CODES[code as keyof typeof CODES] === 200
