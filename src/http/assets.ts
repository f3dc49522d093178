import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { RequestHandler } from 'express'
import { Fault } from '../domain/codes.ts'

interface Asset {
  /** Its extension, by which Express finds the content type. */
  readonly extension: string
  /** Policy of a page, in place of one that allows nothing. */
  readonly policy: string | undefined
  /** By content encoding; `identity` is the file itself. */
  readonly bodies: ReadonlyMap<string, { readonly bytes: Buffer; readonly etag: string }>
}

export type Assets = ReadonlyMap<string, Asset>

const SERVED: ReadonlySet<string> = new Set(['.js', '.json', '.html'])

/** Reads every file of a folder, and the copies that the build compressed beside it, at start; nothing is read at a request. */
export function loadAssets(folder: string): Assets {
  const names = readdirSync(folder).filter((name) => SERVED.has(extname(name)))
  return new Map(names.map((name) => [name, load(join(folder, name))]))
}

function load(file: string): Asset {
  const bytes = readFileSync(file)
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return {
    extension: extname(file),
    policy: extname(file) === '.html' ? pagePolicy(bytes.toString()) : undefined,
    bodies: new Map([
      ['br', { bytes: readFileSync(`${file}.br`), etag: `"${hash}-br"` }],
      ['gzip', { bytes: readFileSync(`${file}.gz`), etag: `"${hash}-gz"` }],
      ['identity', { bytes, etag: `"${hash}"` }],
    ]),
  }
}

/** The policy of a page for apps: the widget, and its own inline script, named by its hash; framed by nobody, since its button is a person's own. */
function pagePolicy(html: string): string {
  const script = /<script>([^]*?)<\/script>/.exec(html)?.[1] ?? ''
  const hash = createHash('sha256').update(script).digest('base64')
  return `default-src 'none'; script-src 'self' 'sha256-${hash}'; connect-src 'self'; worker-src 'self' blob:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

/**
 * GET /assets/{name}: the widget's files, for any page. The body depends on the name and on Accept-Encoding, on nothing else; a
 * year with a numeric `v`, five minutes without. docs/api/api.md, "GET /assets/captcha.js".
 */
export function assets(all: Assets): RequestHandler<{ name: string }> {
  return (req, res) => {
    const asset = all.get(req.params.name)
    if (!asset) throw new Fault('not-found')
    const isVersioned = typeof req.query['v'] === 'string' && /^\d+$/.test(req.query['v'])
    // Asked one by one: browsers name gzip before br, and among equals the first named would win.
    const encoding = ['br', 'gzip'].find((coding) => req.acceptsEncodings(coding) !== false) ?? 'identity'
    const { bytes, etag } = asset.bodies.get(encoding)!
    res.vary('Accept-Encoding')
    res.set({
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': isVersioned ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
      ETag: etag,
    })
    if (encoding !== 'identity') res.set('Content-Encoding', encoding)
    if (asset.policy !== undefined) res.set('Content-Security-Policy', asset.policy)
    res.type(asset.extension).send(bytes)
  }
}
