/** What a visitor is sent is what `npm run size` counts: the files of the build. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { loadAssets } from '../../../src/http/assets.ts'
import { type Edge, edge } from './edge.ts'

const FOLDER = join(import.meta.dirname, '../../../dist/assets')
const NAMES = readdirSync(FOLDER).filter((name) => /\.(js|json|html)$/.test(name))
let e: Edge
beforeAll(async () => {
  e = await edge({ assets: loadAssets(FOLDER) })
})
afterAll(() => e.service.stop(0))

const bytesOf = async (name: string): Promise<number> => {
  const { body } = await e.ask({ method: 'GET', path: `/assets/${name}`, headers: [['Accept-Encoding', 'gzip']] })
  return body.length
}

test('each file is sent as the build compressed it', async () => {
  const sent = await Promise.all(NAMES.map(async (name) => [name, await bytesOf(name)]))
  expect(NAMES.length).toBeGreaterThan(30)
  expect(sent).toEqual(NAMES.map((name) => [name, statSync(join(FOLDER, `${name}.gz`)).size]))
})
