import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

/** docs/widget/javascript.md, "React, Vue, Svelte and Angular": props are the options of the published types; functions are events there. */
test('the components know every option of the published types', async () => {
  const { OPTIONS } = (await import(`${process.cwd()}/packages/client/components/mount.js`)) as {
    OPTIONS: string[]
  }
  const types = readFileSync('widget/captcha.d.ts', 'utf8')
  const [, members = ''] = /interface SvcCaptchaOptions \{([^]*?)^\}/m.exec(types) ?? []
  const names = [...members.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name!)
  expect(names).toContain('sitekey')
  expect(OPTIONS).toEqual(names.filter((name) => !name.endsWith('allback')))
})
