/** A proxy lets nobody in by what is no answer of the gate: another program at its address, or an error of the check itself. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { newFolder } from '../../support/close-later.ts'
import { ask, FETCH, NAVIGATION, PROXIES, startSite } from '../../support/gate.ts'
import { serve } from '../../support/serve.ts'

/** What a visitor may write, so that it looks like the gate's word. */
const FORGED = { 'x-hv-clearance': 'forged', 'x-hv-guest': 'verified googlebot' }

/** Traefik takes every 2xx for the gate's word, and can ask for nothing more. docs/start/gate.md says so. */
const { Traefik: _unable, ...ABLE } = PROXIES

describe.each(Object.entries(ABLE))('%s', (_name, startProxy) => {
  test.each([200, 201, 204, 206, 302, 404])(
    'lets nobody in where another program answers %d at the address of the gate',
    async (status) => {
      const impostor = await serve((_req, res) => {
        res.statusCode = status
        if (status === 302) res.setHeader('location', '/')
        res.end(status === 204 ? undefined : 'another program')
      })
      const app = await startSite()
      const { url } = await startProxy(new URL(impostor.url).host, app.host)
      const own = await ask(url, '/.hv/gate.js')
      expect([own.status, own.body]).toEqual([status, status === 204 ? '' : 'another program'])
      for (const headers of [NAVIGATION, FETCH, { ...FETCH, ...FORGED }])
        await ask(url, '/secret', headers)
      expect(app.seen).toEqual([])
    },
  )
})

test('HAProxy lets nobody in where its Lua action raises an error', async () => {
  const file = join(newFolder(), 'broken.lua')
  writeFileSync(
    file,
    'core.register_action("broken", { "http-req" }, function(txn) error("broken") end)',
  )
  const broken = (written: string) =>
    written.replace('lua.hv_gate', 'lua.broken').replace('global', `global\n    lua-load ${file}`)
  const app = await startSite()
  const { url } = await PROXIES.HAProxy('127.0.0.1:9', app.host, broken)
  expect((await ask(url, '/secret', NAVIGATION)).status).toBe(503)
  expect(app.seen).toEqual([])
})
