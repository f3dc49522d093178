/** Every generated page and file is what the code says today. `npm run docs` writes them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { generated } from '../../../docs/make/generated.ts'
import { ROOT } from '../../world/deploy/root.ts'

test.each([...generated(ROOT)])('%s is what the code says (npm run docs writes it)', (file, text) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).toBe(text)
})
