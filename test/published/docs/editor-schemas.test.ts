import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

test.each([
  ['config/config.example.yaml', './schema.json'],
  ['config/demo.yaml', './schema.json'],
  ['config/folder.example/config.yaml', '../schema.json'],
  ['config/folder.example/sites/shop.example.com.yaml', '../../site.schema.json'],
])('%s tells editors where its schema is', (file, schema) => {
  expect(readFileSync(file, 'utf8').split('\n')[0]).toBe(`# yaml-language-server: $schema=${schema}`)
})
