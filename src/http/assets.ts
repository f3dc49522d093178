import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { RequestHandler } from 'express'
import { Fault } from '../domain/codes.ts'
import { ASSETS } from '../wire.ts'

type Asset = ReturnType<typeof load>
/** The files of the widget, by name. */
export type Assets = ReadonlyMap<string, Asset>

const SERVED: ReadonlySet<string> = new Set(['.js', '.json', '.html'])

/** Reads every file of a folder, and the copies that the build compressed beside it, at start; nothing is read at a request. */
export function loadAssets(folder: string): Assets {
  const names = readdirSync(folder).filter((name) => SERVED.has(extname(name)))
  const hash = createHash('sha256')
  for (const name of names.sort()) hash.update(readFileSync(join(folder, name)))
  // The number has 48 bits, so that it is exact in JSON and JavaScript.
  const build = String(Number.parseInt(hash.digest('hex').slice(0, 12), 16))
  return new Map(names.map((name) => [name, load(join(folder, name), build)]))
}

function load(file: string, build: string) {
  const bytes = readFileSync(file)
  return {
    build,
    // Replaces a policy that allows nothing.
    policy: extname(file) === '.html' && {
      'Content-Security-Policy': pagePolicy(bytes.toString()),
    },
    encoded: { br: readFileSync(`${file}.br`), gzip: readFileSync(`${file}.gz`), identity: bytes },
  }
}

/** The policy of a page for apps: the widget, and its own inline script, named by its hash; never framed, so that only a person presses its button. */
function pagePolicy(html: string): string {
  const script = /<script>([^]*?)<\/script>/.exec(html)?.[1] ?? ''
  const hash = createHash('sha256').update(script).digest('base64')
  return `default-src 'none'; script-src 'self' 'sha256-${hash}'; connect-src 'self'; worker-src 'self' blob:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

/**
 * GET /assets/{name}: the widget's files, for any page. The body depends on the name and on Accept-Encoding, on nothing else. It is
 * kept for a year where `v` is the number of this build; with any other `v`, which may be another build's, and without one, for
 * five minutes. docs/api/api.md, "GET /assets/captcha.js".
 *
 * @param only the one file to serve, on a path that is not named for it.
 */
export function assets(all: Assets, only?: string): RequestHandler {
  return (req, res) => {
    // A parameter of a route would be decoded, and paths are exact.
    const name = only ?? req.path.slice(ASSETS.length)
    const asset = all.get(name)
    if (!asset) throw Fault.of('not-found')
    // They are asked one by one: browsers name gzip before br, and among equals the first named would win.
    const encoding =
      (['br', 'gzip'] as const).find((coding) => req.acceptsEncodings(coding) !== false) ??
      'identity'
    res.vary('Accept-Encoding')
    res.set({
      ...asset.policy,
      ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
      ETag: `"${asset.build}-${encoding}"`,
      'Access-Control-Allow-Origin': '*',
      'Cache-Control':
        req.query['v'] === asset.build
          ? 'public, max-age=31536000, immutable'
          : 'public, max-age=300',
    })
    res.type(extname(name)).send(asset.encoded[encoding])
  }
}
