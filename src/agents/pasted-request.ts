import type { SignedRequest } from '../domain/named-agent.ts'

/**
 * Reads the head of an HTTP/1.1 request as text: the request line, then a header a line.
 *
 * @returns undefined for anything else. A target in absolute form becomes path and query.
 */
export function readPastedRequest(text: string): SignedRequest | undefined {
  const [first = '', ...lines] = text.trim().split(/\r?\n/)
  const [, method, target] = /^([A-Z]+) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/.exec(first) ?? []
  const end = lines.indexOf('')
  const headers = (end === -1 ? lines : lines.slice(0, end)).map((line) => /^([!#$%&'*+.^_`|~\w-]+):(.*)$/.exec(line))
  if (method === undefined || target === undefined || headers.includes(null)) return undefined
  const path = target.replace(/^https?:\/\/[^/?]*/, '')
  return {
    method,
    target: path.startsWith('/') ? path : `/${path}`,
    fields: (name) => headers.flatMap((header) => (header?.[1]?.toLowerCase() === name ? [header[2]!.trim()] : [])),
  }
}
