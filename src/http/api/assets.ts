import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompressSync, gunzipSync, gzip } from 'node:zlib'
import type { Request, RequestHandler } from 'express'
import { Fault } from '../../domain/codes.ts'
import { JSON_TYPE } from './failure.ts'
import { headOf, send, sendNotModified } from './response-head.ts'

interface Asset {
  readonly type: string
  /** Policy of a page, in place of one that allows nothing. */
  readonly policy: string | undefined
  /** By content encoding; `identity` is the file itself. */
  readonly bodies: ReadonlyMap<string, { readonly bytes: Buffer; readonly etag: string }>
}

export type Assets = ReadonlyMap<string, Asset>

/** Content types by file name extension; a file of another kind is not served. */
export const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: JSON_TYPE,
  html: 'text/html; charset=utf-8',
}

/** Reads and compresses every file of a folder, once, at start; nothing is read from the disk at a request. */
export async function loadAssets(folder: string): Promise<Assets> {
  const names = readdirSync(folder).filter((name) => TYPES[extension(name)] !== undefined)
  const loaded = await Promise.all(names.map(async (name) => [name, await load(join(folder, name))] as const))
  return new Map(loaded)
}

async function load(file: string): Promise<Asset> {
  const bytes = readFileSync(file)
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  const [brotli, gzipped] = await Promise.all([
    compressedBeside(`${file}.br`, bytes, brotliDecompressSync) ?? promisify(brotliCompress)(bytes),
    compressedBeside(`${file}.gz`, bytes, gunzipSync) ?? promisify(gzip)(bytes, { level: 9 }),
  ])
  return {
    type: TYPES[extension(file)]!,
    policy: extension(file) === 'html' ? pagePolicy(bytes.toString()) : undefined,
    bodies: new Map([
      ['br', { bytes: brotli, etag: `"${hash}-br"` }],
      ['gzip', { bytes: gzipped, etag: `"${hash}-gz"` }],
      ['identity', { bytes, etag: `"${hash}"` }],
    ]),
  }
}

/**
 * Returns the compressed file that the build put beside another.
 *
 * @returns undefined where there is none, or where it is of other bytes: somebody changed the file after the build.
 */
function compressedBeside(file: string, bytes: Buffer, unpack: (compressed: Buffer) => Buffer): Buffer | undefined {
  if (!existsSync(file)) return undefined
  const compressed = readFileSync(file)
  try {
    return unpack(compressed).equals(bytes) ? compressed : undefined
  } catch {
    return undefined
  }
}

const extension = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

/**
 * The policy of a page of ours, which is native.html: the widget, and its own inline script, named by its hash. It is framed by
 * nobody: its button is a person's own.
 */
function pagePolicy(html: string): string {
  const script = /<script>([^]*?)<\/script>/.exec(html)?.[1] ?? ''
  const hash = createHash('sha256').update(script).digest('base64')
  return `default-src 'none'; script-src 'self' 'sha256-${hash}'; connect-src 'self'; worker-src 'self' blob:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

/**
 * GET /assets/{name}: the widget's files. The body depends on the name and on Accept-Encoding, on nothing else;
 * a year with a numeric `v`, five minutes without. docs/design/contract.md, "GET /assets/captcha.js".
 */
export function assets(all: Assets): RequestHandler {
  return (req, res) => {
    const name = req.params['name']
    const asset = typeof name === 'string' ? all.get(name) : undefined
    if (!asset) throw new Fault('not-found')
    const versioned = typeof req.query['v'] === 'string' && /^\d+$/.test(req.query['v'])
    // Asked one by one: browsers name gzip before br, and among equals the first named would win.
    const encoding = ['br', 'gzip'].find((coding) => req.acceptsEncodings(coding) !== false) ?? 'identity'
    const { bytes, etag } = asset.bodies.get(encoding)!
    const head = headOf(res)
    head['Access-Control-Allow-Origin'] = '*'
    head['Cache-Control'] = versioned ? 'public, max-age=31536000, immutable' : 'public, max-age=300'
    head['ETag'] = etag
    head['Vary'] = 'Accept-Encoding'
    if (asset.policy !== undefined) head['Content-Security-Policy'] = asset.policy
    if (encoding !== 'identity') head['Content-Encoding'] = encoding
    if (hasCurrent(req, etag)) sendNotModified(res)
    else send(res, 200, asset.type, bytes)
  }
}

/**
 * Reports whether the client has this very body, by weak comparison (RFC 9110, section 13.1.2), and did not ask for a new one.
 *
 * Not `req.fresh`, which reads the headers that `res.setHeader` set: ours are collected for `send`.
 */
function hasCurrent(req: Request, etag: string): boolean {
  const etags = req.get('if-none-match')
  if (etags === undefined || /(^|,)\s*no-cache\s*(,|$)/.test(req.get('cache-control') ?? '')) return false
  return etags.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag)
}
