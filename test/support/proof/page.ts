import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from '@swc/core'
import express from 'express'
import { ROOT } from '../root.ts'
import { serve } from '../serve.ts'

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

export type ProofPages = Awaited<ReturnType<typeof serveProof>>

/** Serves pages with the widget's own proof source, types taken off and nothing else, as a module. */
export async function serveProof(pages: readonly HostilePage[]) {
  /** What a browser complained of to `report-uri`. */
  const reports: string[] = []
  const app = express()
  app.post('/reports', express.text({ type: () => true }), (req, res) => {
    reports.push(String(req.body))
    res.sendStatus(204)
  })
  app.get('/run.js', (_req, res) => res.type('js').send(RUN))
  app.get('/hostile.css', (req, res) => {
    const page = pages.find(({ name }) => req.headers.referer?.endsWith(`/${name}`))
    res.type('css').send(page?.style ?? '')
  })
  app.get(/\.ts$/, async (req, res) => {
    const { code } = await transform(readFileSync(join(ROOT, req.path), 'utf8'), {
      jsc: { target: 'es2020', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    })
    res.type('js').send(code)
  })
  for (const page of pages) {
    const {
      name,
      doctype = '<!doctype html>',
      html = '<html lang="en">',
      body = '<p>Shop</p>',
      headers = {},
    } = page
    const head =
      '<title>x</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/hostile.css"><script type="module" src="/run.js"></script>'
    app.get(`/${name}`, (_req, res) =>
      res
        .type('html')
        .set(headers)
        .send(`${doctype}${html}<head>${head}</head><body>${body}</body></html>`),
    )
  }
  const { url } = await serve(app)
  return { reports, address: (name: string) => `${url}/${name}` }
}
