/** What visitors get from the gate itself, in place of the site. */

export type Answer = Readonly<{
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}>

/** Headers of every answer that a visitor gets from the gate. A proxy that only asks for a decision gets none of them. */
const HEADERS = {
  'cache-control': 'no-store',
  vary: 'Cookie, Accept, Accept-Language, Sec-Fetch-Mode, Sec-Fetch-Dest, HX-Boosted',
  'x-robots-tag': 'noindex',
  'x-content-type-options': 'nosniff',
}

/** @param headers further ones. */
export function reply(status: number, type: string, body: string, headers: object = {}): Answer {
  const all = { ...HEADERS, 'content-type': `${type}; charset=utf-8`, ...headers }
  return { status, headers: all, body }
}

/** Answers without a body. */
export const noContent = (headers: object): Answer => ({
  status: 204,
  headers: { ...HEADERS, ...headers },
  body: '',
})

export const json = (status: number, body: object, headers: object = {}): Answer =>
  reply(status, 'application/json', JSON.stringify(body), headers)

export const FORBIDDEN = json(403, { error: 'forbidden' })
export const NOT_FOUND = json(404, { error: 'not found' })
