import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from '@jest/globals'

/** The sources take their types from widget/captcha.d.ts; the states are written twice. */
const widget = fileURLToPath(new URL('../../../widget/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'hv-types-'))
afterAll(() => rmSync(folder, { recursive: true }))
const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url))

/** What the compiler says of a file. */
function compiled(name: string, source: string): string {
  writeFileSync(join(folder, `${name}.ts`), source)
  const flags =
    '--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --allowImportingTsExtensions --module esnext --moduleResolution bundler --target es2022 --lib es2022,dom,dom.iterable --types'
  const { stdout } = spawnSync(process.execPath, [tsc, ...flags.split(' '), '', join(folder, `${name}.ts`)], {
    encoding: 'utf8',
  })
  return stdout
}

const types = `
import type { SvcCaptchaState } from '${widget}captcha.d.ts'
import type { State } from '${widget}src/state.ts'
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
`

describe('the published types', () => {
  test('have the states of the sources', () => {
    expect(compiled('same', `${types}export const holds: Same<SvcCaptchaState, State['at']> = true\n`)).toBe('')
  })

  test('are enough for a page of strict TypeScript', () => {
    const page = `
import type { SvcCaptchaOptions } from '${widget}captcha.d.ts'
const options: SvcCaptchaOptions = { sitekey: 'k' }
// @ts-expect-error nothing stands in for the sitekey
export const none: SvcCaptchaOptions = { action: 'a' }
const place = document.createElement('div')
place.addEventListener('svc-captcha:error', ({ detail }) => alert(detail.code + detail.directives.join()))
document.addEventListener('svc-captcha:solved', ({ detail }) => alert(detail.token))
window.svcCaptcha?.render(place, options)
export const value: string = document.createElement('human-verification').value
export const id = window.svcCaptcha?.render(place, { sitekey: 'k', action: 'a', texts: { label: 'Hello' } })
`
    expect(compiled('page', page)).toBe('')
  })
})
