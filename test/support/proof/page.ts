import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { transform } from '@swc/core'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** How a page is written that the proof must not mind. */
export interface HostilePage {
  readonly name: string
  readonly doctype?: string
  readonly html?: string
  readonly style?: string
  readonly body?: string
  readonly headers?: Record<string, string>
}

/** The policy of docs/widget/csp.md at its strictest: one origin for scripts, no inline anything, trusted types. */
export const STRICT = {
  'content-security-policy':
    "default-src 'none'; img-src data:; script-src 'self'; style-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; report-uri /reports",
}

/** `answerAll` takes sets of tasks as JSON text and returns their answers as one, for every driver's sake. */
const RUN = `import { answerProof } from '/widget/src/proof.ts'
window.answerAll = (given) => JSON.stringify(JSON.parse(given).map((proof) => answerProof(proof) ?? null))`

export interface ProofPages {
  address(name: string): string
  /** What a browser complained of to `report-uri`. */
  readonly reports: string[]
  close(): Promise<void>
}

/** Serves pages with the widget's own proof source, types taken off and nothing else, as a module. */
export async function serveProof(pages: readonly HostilePage[]): Promise<ProofPages> {
  const reports: string[] = []
  const server = createServer((req, res) => {
    void (async (): Promise<unknown> => {
      const path = new URL(req.url!, 'http://x').pathname
      if (path === '/reports') {
        for await (const chunk of req) reports.push(String(chunk))
        return res.writeHead(204).end()
      }
      if (path === '/run.js') {
        return res.writeHead(200, { 'content-type': 'text/javascript' }).end(RUN)
      }
      if (path === '/hostile.css') {
        const page = pages.find(({ name }) => req.headers.referer?.endsWith(`/${name}`))
        return res.writeHead(200, { 'content-type': 'text/css' }).end(page?.style ?? '')
      }
      if (path.endsWith('.ts')) {
        const { code } = await transform(readFileSync(ROOT + path, 'utf8'), {
          jsc: { target: 'es2020', parser: { syntax: 'typescript' } },
          module: { type: 'es6' },
        })
        return res.writeHead(200, { 'content-type': 'text/javascript' }).end(code)
      }
      const page = pages.find(({ name }) => path === `/${name}`)
      if (!page) return res.writeHead(404).end()
      const { doctype = '<!doctype html>', html = '<html lang="en">', body = '<p>Shop</p>', headers = {} } = page
      res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
      return res.end(
        `${doctype}${html}<head><title>x</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/hostile.css">` +
          `<script type="module" src="/run.js"></script></head><body>${body}</body></html>`,
      )
    })()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    reports,
    address: (name) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
