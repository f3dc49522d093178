import { keysOf, parseJson } from './key-file.ts'
import { listedRange, withoutComment } from './range-list.ts'

/**
 * Turns a published key directory into a key file: the public Ed25519 keys, and nothing else that the directory says.
 *
 * @throws {Error} with the end of a sentence: `has no Ed25519 key`.
 */
export function keyFileText(published: string): string {
  const keys = [...keysOf(published)].map(([kid, key]) =>
    Object.assign(key.export({ format: 'jwk' }), { kid }),
  )
  return `${JSON.stringify({ keys }, undefined, 2)}\n`
}

/**
 * Turns a published list of addresses into a file of one range a line: JSON as search engines publish it (`prefixes`, each
 * with `ipv4Prefix` or `ipv6Prefix`), or lines of addresses and CIDR ranges.
 *
 * @throws {Error} with the end of a sentence. Nothing of the text is quoted.
 */
export function rangeFileText(published: string): string {
  const ranges = published.trimStart().startsWith('{')
    ? prefixesIn(published)
    : published.split('\n').map(withoutComment).filter(Boolean)
  for (const [index, text] of ranges.entries()) listedRange(text, `entry ${index + 1}`)
  if (ranges.length === 0) throw new Error('has no address')
  return `${ranges.join('\n')}\n`
}

function prefixesIn(published: string): string[] {
  const { prefixes: list } = parseJson(published) as { prefixes?: unknown }
  if (!Array.isArray(list)) throw new Error('is JSON without a list "prefixes"')
  return list.map((each: { ipv4Prefix?: unknown; ipv6Prefix?: unknown } | null) => {
    const prefix = each?.ipv4Prefix ?? each?.ipv6Prefix
    return typeof prefix === 'string' ? prefix : ''
  })
}
