/** The types of our components, as a customer's strict compiler reads them beside the frameworks' own. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { installKit } from './kit.ts'
import { FOLDER, installThirdParty } from './third-party.ts'

/** Below the packages, so that they are found. */
const folder = join(FOLDER, 'node_modules/.hv-types')
beforeAll(() => {
  installThirdParty()
  installKit()
  mkdirSync(folder, { recursive: true })
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PROGRAM = `import { createElement, useRef } from 'react'
import { h } from 'vue'
import { HumanVerification as ReactWidget, type WidgetHandle } from '@human-verification/client/react'
import { HumanVerification as VueWidget } from '@human-verification/client/vue'

const given = { sitekey: 'hv_site_a', action: 'sign-up', apiBase: 'https://verify.example.com' }
export function Form() {
  const widget = useRef<WidgetHandle>(null)
  widget.current?.execute().then((token) => token.length)
  return <ReactWidget {...given} ref={widget} size="compact" className="here" onToken={(token) => token.length} onError={({ code }) => code === 203} />
}
// @ts-expect-error a sitekey is required
createElement(ReactWidget, { apiBase: '/' })
// @ts-expect-error the service's address is required
createElement(ReactWidget, { sitekey: 'hv_site_a' })
// @ts-expect-error there is no such theme
createElement(ReactWidget, { ...given, theme: 'blue' })

h(VueWidget, { ...given, theme: 'dark', onToken: (token: string) => token.length })
// @ts-expect-error a sitekey is required
h(VueWidget, { apiBase: '/' })
// @ts-expect-error there is no such theme
h(VueWidget, { ...given, theme: 'blue' })
export const inVue = (one: InstanceType<typeof VueWidget>): Promise<string> => one.execute()
`

test.each([
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
])(
  'hold with module %s, resolution %s',
  (module, moduleResolution) => {
    const compilerOptions = {
      module,
      moduleResolution,
      jsx: 'react-jsx',
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: false,
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: [],
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'program.tsx'), PROGRAM)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.tsx'] }))
    const tsc = join(FOLDER, '../../../node_modules/typescript/bin/tsc')
    expect(spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout).toBe('')
  },
  120_000,
)
