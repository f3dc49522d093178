/** docs/start/guide.md from top to bottom, as a newcomer follows it: from an empty folder to a visitor who is welcome. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { closeLater } from '../../support/close-later.ts'
import { launch } from '../../support/chromium.ts'
import { freePort } from '../../support/ports.mjs'
import { listening } from '../../support/redis.ts'
import { GUIDE, installFrameworks, newFolder, ROOT, write } from './projects.ts'

test('every command works as documented, and the form is accepted in a browser', async () => {
  installFrameworks()
  const [servicePort, sitePort] = [await freePort(), await freePort()]
  const folder = newFolder()
  // The service, as `npm install` of its tarball puts it there.
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(join(ROOT, 'dist/main.js'), join(folder, 'node_modules/.bin/hv'))
  let [sitekey, secret] = ['', '']
  const run = (command: string, detached: boolean): ChildProcess =>
    spawn('/bin/sh', ['-c', command], {
      cwd: folder,
      detached,
      stdio: ['ignore', detached ? 'inherit' : 'pipe', 'inherit'],
      env: {
        ...process.env,
        HV_LISTEN: `127.0.0.1:${servicePort}`,
        HV_OPS_LISTEN: '127.0.0.1:0',
        HV_SECRET: secret,
        PORT: String(sitePort),
        // A missing package must fail, and never come from somewhere else.
        npm_config_offline: 'true',
        npm_config_loglevel: 'error',
      },
    })

  let printed = ''
  const otherwise: unknown[] = []
  for (const block of GUIDE) {
    const text = block.text
      .replaceAll(':8080', `:${servicePort}`)
      .replaceAll(':3000', `:${sitePort}`)
      .replace('"SITEKEY"', `"${sitekey}"`)
    if (block.kind === 'file') write(folder, block.name, text)
    else if (block.kind === 'output')
      otherwise.push(...(printed.trim() === text.trim() ? [] : [{ printed, not: text }]))
    else if (block.kind === 'command' && block.background) {
      const { pid } = run(text, true)
      // A shell starts its command as a child, so the whole group is killed.
      closeLater(pid!, (it) => process.kill(-it))
      await listening(text.includes('hv serve') ? servicePort : sitePort)
    } else if (block.kind === 'command') {
      // Not spawnSync: it would stop this process, and with it the pipes of the servers.
      const child = run(text, false)
      const ended = once(child, 'exit')
      printed = await textOf(child.stdout!)
      const [code] = (await ended) as [number]
      if (code !== 0) otherwise.push({ text, code })
    }
    if (block.text.includes('site add')) {
      sitekey = /hv_site_\S+/.exec(printed)![0]
      secret = /hv_secret_\S+/.exec(printed)![0]
      // Playwright's browser is a driver's, and scores like one: this is the one thing that is not as in the guide.
      const config = join(folder, 'hv.yaml')
      writeFileSync(config, `${readFileSync(config, 'utf8')}    score_threshold: 0\n`)
    }
  }

  expect(otherwise).toEqual([])

  const page = await (await launch()).newPage()
  await page.goto(`http://localhost:${sitePort}/`)
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText('Welcome, ada%40example.com').waitFor({ timeout: 20_000 })
  expect(page.url()).toBe(`http://localhost:${sitePort}/sign-up`)
}, 300_000)
