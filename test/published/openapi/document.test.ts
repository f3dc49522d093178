import { describe, expect, test } from '@jest/globals'
import { CODES } from '../../../src/domain/codes.ts'
import { openapiDocument, resolved } from '../../../docs/make/openapi.ts'

const document = openapiDocument()
const operations = Object.values(document.paths).flatMap((item) => Object.values(item))

describe('openapi.json', () => {
  test.each(Object.entries(CODES))('names %s, and under no status but %i', (code, status) => {
    const statuses = operations.flatMap(({ responses }) =>
      Object.keys(responses).filter((each) =>
        JSON.stringify(resolved(document, responses[each]!)).includes(`"${code}"`),
      ),
    )
    expect(JSON.stringify(document)).toContain(`"${code}"`)
    expect(statuses.filter((each) => each !== String(status))).toEqual([])
  })

  test('has references that all lead somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)]
    expect(references.length).toBeGreaterThan(3)
    for (const [, $ref] of references) expect(resolved(document, { $ref: $ref! })).toBeDefined()
  })
})
