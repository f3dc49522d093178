/** What editors complete and explain from: `config/schema.json` and `config/site.schema.json`. */
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { configSchema, siteSchema } from '../../../docs/make/settings-pages.ts'
import { type JsonSchema, compile } from '../../../src/settings/json-schema.ts'

const parsed = (file: string): unknown => parse(readFileSync(file, 'utf8'))
const sample = parsed('config/config.example.yaml') as { sites: unknown[] }
const PUBLISHED = {
  'config/schema.json': configSchema(),
  'config/site.schema.json': siteSchema(),
}

test('both take the sample, and refuse a slip', () => {
  const [whole, site] = Object.values(PUBLISHED).map((each) => compile(JSON.parse(each) as JsonSchema, { all: false }))
  expect(whole!(sample).ok).toBe(true)
  expect(whole!({ ...sample, listn: '127.0.0.1:1' }).ok).toBe(false)
  expect(site!(sample.sites[0]).ok).toBe(true)
  expect(site!({ ...(sample.sites[0] as object), score_threshold: 50 }).ok).toBe(false)
})

test.each([
  ['config/config.example.yaml', './schema.json'],
  ['config/demo.yaml', './schema.json'],
  ['config/folder.example/config.yaml', '../schema.json'],
  ['config/folder.example/sites/shop.example.com.yaml', '../../site.schema.json'],
])('%s tells editors where its schema is', (file, schema) => {
  expect(readFileSync(file, 'utf8').split('\n')[0]).toBe(`# yaml-language-server: $schema=${schema}`)
})
