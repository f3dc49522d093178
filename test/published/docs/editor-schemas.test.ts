/** What editors complete and explain from: `config/schema.json` and `config/site.schema.json`. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { configSchema, siteSchema } from '../../../docs/make/settings-pages.ts'
import { type JsonSchema, compile } from '../../../src/settings/json-schema.ts'

const parsed = (file: string): unknown => parse(readFileSync(file, 'utf8'))
const sample = parsed('config/config.example.yaml') as { sites: unknown[] }
const PUBLISHED = {
  'config/schema.json': configSchema(),
  'config/site.schema.json': siteSchema(),
}

describe.each(Object.entries(PUBLISHED))('%s', (_file, schema) => {
  test('explains every setting, with an example, a default or what else there is to choose from', () => {
    const silent: string[] = []
    const walk = (name: string, { properties = {}, items, ...each }: JsonSchema): void => {
      const isGroup = Object.keys(properties).length > 0 || items?.properties !== undefined
      const chosen =
        each.enum ?? each.const ?? each.examples ?? each.default ?? (each.type === 'boolean' ? true : undefined)
      if (!each.description || (!isGroup && chosen === undefined)) silent.push(name)
      for (const [inner, value] of Object.entries(properties)) walk(`${name}.${inner}`, value)
      for (const [inner, value] of Object.entries(items?.properties ?? {})) walk(`${name}[].${inner}`, value)
    }
    for (const [name, each] of Object.entries((JSON.parse(schema) as JsonSchema).properties!)) walk(name, each)
    expect(silent).toEqual([])
  })
})

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
