import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { SITEKEY } from '../support/app.ts'
import { findProgram } from '../support/programs.mjs'
import { environmentOf, startScreen } from '../support/screen.ts'
import { backstage } from './stage.ts'

/** docs/widget/apps.md: `webkit.messageHandlers` of a real WebKit, where test/browser/native.test.ts puts a bridge of its own. */
const APP = join(import.meta.dirname, '../support/webkit-app.py')

/** What the app is told, one message for each press. The program uses the distribution's Python, which has the bindings. */
async function messages(address: string, presses: number): Promise<Record<string, unknown>[]> {
  const home = mkdtempSync(join(tmpdir(), 'hv-app-'))
  const screen = await startScreen()
  const env = environmentOf(screen.display, home)
  const app = spawn('/usr/bin/python3', [APP, address, String(presses)], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const lines = (await text(app.stdout)).trim().split('\n')
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  } finally {
    app.kill('SIGKILL')
    await screen.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

if (findProgram('webkitApp') === undefined)
  test.todo('native.html in WebKitGTK: needs gir1.2-webkit2-4.1 and python3-gi')
else {
  test('WebKit’s own bridge gets a token for each press, which siteverify accepts once', async () => {
    const on = await backstage()
    try {
      const [first, second] = await messages(
        `${on.service.base}/assets/native.html?sitekey=${SITEKEY}&action=sign-up`,
        2,
      )
      expect([first?.['action'], second?.['action'], first?.['token'] === second?.['token']]).toEqual([
        'sign-up',
        'sign-up',
        false,
      ])
      for (const { token } of [first!, second!]) {
        expect(await on.verified(String(token))).toBe(true)
        expect(await on.verified(String(token))).toBe(false)
      }
    } finally {
      await on.close()
    }
  }, 90_000)
}
