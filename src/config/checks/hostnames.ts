import { isIP } from 'node:net'
import { getPublicSuffix } from 'tldts'
import { parseUrl } from '../../domain/parse-url.ts'
import { isAppOrigin } from '../../domain/site.ts'
import type { Path } from '../../schema/schema.ts'
import { type Finding, wants } from '../finding.ts'

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/**
 * What is wrong with one of a site's `hostnames`; undefined: nothing.
 *
 * Wanted is the one spelling that browsers send in `Origin`: lowercase, punycode, no scheme, port, path or
 * trailing dot. A second spelling would never match, and the site would refuse its own visitors.
 */
export function hostnameFinding(path: Path, text: string): Finding | undefined {
  const wildcard = text.startsWith('*.')
  const name = wildcard ? text.slice(2) : text
  if (name.includes('*')) return wants(path, 'a * only as the first label, as in *.example.com', text)

  if (isAppOrigin(text)) return wants(path, 'a hostname', text, `${text} belongs in app_origins`)
  const { spelling, slips } = asBrowsersWrite(name)
  if (spelling === undefined) return wants(path, 'a hostname, such as shop.example.com', text)
  if (slips.length > 0 || spelling !== name) {
    const write = `${wildcard ? '*.' : ''}${spelling}`
    return wants(
      path,
      'a hostname as browsers send it',
      text,
      slips.length === 0 ? `write ${write}` : `${slips.join(', ')}: ${write}`,
    )
  }
  if (!wildcard) return undefined
  if (isAddress(name)) return wants(path, 'a hostname below the *, not an address', text)
  return coversPublicSuffix(name) ? wants(path, 'a wildcard of your own names', text, tooWide(name)) : undefined
}

interface Spelling {
  /** As a browser would send it; undefined when nothing can be made of the text. */
  readonly spelling: string | undefined
  /** What the text has or lacks, in the words of a hint. */
  readonly slips: readonly string[]
}

function asBrowsersWrite(text: string): Spelling {
  const slips: string[] = []
  let rest = text
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(rest)
  if (scheme) {
    slips.push('no scheme')
    rest = rest.slice(scheme[0].length)
  }
  const path = rest.search(/[/?#]/)
  if (path >= 0) {
    slips.push('no path')
    rest = rest.slice(0, path)
  }
  if (isIP(rest) === 6) {
    slips.push('in brackets')
    rest = `[${rest}]`
  }
  const port = /^(.+):[0-9]*$/.exec(rest)
  if (port && !rest.endsWith(']')) {
    slips.push('no port')
    rest = port[1]!
  }
  if (rest.endsWith('.')) {
    slips.push('no trailing dot')
    rest = rest.slice(0, -1)
  }
  if (/[A-Z]/.test(rest)) slips.push('lowercase')
  if (/\P{ASCII}/u.test(rest)) slips.push('punycode')
  const url = /[\s@:/\\]/.test(rest.replace(/^\[[0-9a-fA-F:.]+\]$/, '')) ? undefined : parseUrl(`http://${rest}`)
  if (!url) return { spelling: undefined, slips }
  const { hostname } = url
  const sound =
    isAddress(hostname) || (hostname.length <= 253 && hostname.split('.').every((label) => LABEL.test(label)))
  return { spelling: sound ? hostname : undefined, slips }
}

const isAddress = (name: string): boolean => isIP(name) === 4 || name.startsWith('[')

/** Public Suffix List with its private part: below `co.uk` or `github.io` other people have their names. */
const coversPublicSuffix = (name: string): boolean =>
  // RFC 6761: nobody but this machine has names below localhost.
  name !== 'localhost' && getPublicSuffix(name, { allowPrivateDomains: true }) === name

const tooWide = (name: string): string => `${name} is a public suffix: others have names below it`
