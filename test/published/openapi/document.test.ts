import { describe, expect, test } from '@jest/globals'
import { CODES } from '../../../src/domain/codes.ts'
import { openapiDocument } from '../../../docs/make/openapi.ts'

const document = openapiDocument()
const operations = Object.values(document.paths).flatMap((item) => Object.values(item))

describe('openapi.json', () => {
  test('names each code, and under no status but its own', () => {
    const text = JSON.stringify(document)
    for (const [code, status] of Object.entries(CODES)) {
      const statuses = operations.flatMap(({ responses }) =>
        Object.keys(responses).filter((each) => JSON.stringify(responses[each]).includes(`"${code}"`)),
      )
      expect({
        code,
        named: text.includes(`"${code}"`),
        others: statuses.filter((each) => each !== String(status)),
      }).toEqual({
        code,
        named: true,
        others: [],
      })
    }
  })

  test('every reference leads somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)]
    expect(references.length).toBeGreaterThan(3)
    for (const [, name] of references) expect(Object.keys(document.components.schemas)).toContain(name)
  })
})
