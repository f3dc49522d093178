import { describe, expect, test } from '@jest/globals'
import { CODES, type Code } from '../../../src/domain/codes.ts'
import { openapiDocument } from '../../../docs/make/openapi.ts'
import { OPERATIONS } from '../../../src/wire.ts'

const document = openapiDocument()
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)

describe('openapi.json', () => {
  test('has the four operations of the contract', () => {
    const four = ['post /api/v1/challenge', 'post /api/v1/solve', 'post /api/v1/siteverify', 'get /health']
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual(expect.arrayContaining(four))
  })

  test('asks for the very schemas that requests are checked by', () => {
    for (const [name, { path, request }] of Object.entries(OPERATIONS)) {
      const { content } = document.paths[path]!['post']!.requestBody!
      const { properties, required } = content['application/json']!.schema
      const own = JSON.parse(JSON.stringify(request)) as { properties: Record<string, object>; required: string[] }
      expect({ name, required }).toEqual({ name, required: own.required })
      for (const [field, schema] of Object.entries(own.properties)) {
        const { type, enum: values, ...rest } = schema as { type: string; enum?: string[] }
        expect(properties![field]).toMatchObject(rest)
        const nullable = !own.required.includes(field)
        expect(properties![field]!.type).toEqual(nullable ? [type, 'null'] : type)
        expect(properties![field]!['enum']).toEqual(values && [...values, ...(nullable ? [null] : [])])
      }
      for (const form of ['application/x-www-form-urlencoded', 'multipart/form-data'])
        expect(Object.keys(content[form]!.schema.properties!)).toEqual(Object.keys(own.properties))
    }
  })

  test('names every code', () => {
    const named = JSON.stringify([operations, document.components])
    expect((Object.keys(CODES) as Code[]).filter((code) => !named.includes(`"${code}"`))).toEqual([])
  })

  test('has each code under its one status only', () => {
    const misplaced = operations.flatMap(({ operation }) =>
      Object.entries(operation.responses).flatMap(([status, answer]) =>
        (Object.keys(CODES) as Code[]).filter(
          (code) => JSON.stringify(answer).includes(`"${code}"`) && CODES[code] !== Number(status),
        ),
      ),
    )
    expect(misplaced).toEqual([])
  })

  test('every reference leads somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)]
    expect(references.length).toBeGreaterThan(3)
    for (const [, name] of references) expect(Object.keys(document.components.schemas)).toContain(name)
  })
})
