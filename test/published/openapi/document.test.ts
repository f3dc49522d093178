import { describe, expect, test } from '@jest/globals'
import { CODES, type Code } from '../../../src/domain/codes.ts'
import { openapiDocument } from '../../../docs/make/openapi.ts'
import { OPERATIONS } from '../../../src/wire.ts'
import { answerProblems, type SeenAnswer } from '../../support/openapi.ts'

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

describe('an answer is held against the document', () => {
  const rejected: SeenAnswer = {
    method: 'POST',
    path: '/api/v1/siteverify',
    status: 200,
    headers: new Headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }),
    body: '{"success":false,"error-codes":["timeout-or-duplicate"]}',
  }
  const limited = { status: 429, body: '{"success":false,"error-codes":["rate-limit-exceeded"]}' }

  test('nothing is wrong with a documented one', () => {
    expect(answerProblems(rejected)).toEqual([])
  })

  test.each<{ when: string; change: Partial<SeenAnswer> }>([
    {
      when: 'a field too many',
      change: { body: '{"success":false,"score":1,"error-codes":["timeout-or-duplicate"]}' },
    },
    { when: 'a field is missing', change: { body: '{"success":false,"error-codes":["low-score"]}' } },
    {
      when: 'a rejection has two codes',
      change: { body: '{"success":false,"error-codes":["low-score","remoteip-mismatch"]}' },
    },
    { when: 'the code is of another status', change: { body: '{"success":false,"error-codes":["bad-request"]}' } },
    {
      when: 'the code is of another operation',
      change: { status: 400, body: '{"success":false,"error-codes":["challenge-expired"]}' },
    },
    { when: 'success and a code', change: { body: '{"success":true,"error-codes":["low-score"]}' } },
    { when: 'the status is not documented', change: { status: 502 } },
    { when: 'it is not JSON', change: { body: '<html>' } },
    {
      when: 'the type is another',
      change: { headers: new Headers({ 'content-type': 'text/html', 'cache-control': 'no-store' }) },
    },
    {
      when: 'a cache may keep it',
      change: { headers: new Headers({ 'content-type': 'application/json; charset=utf-8' }) },
    },
    { when: '429 without Retry-After', change: limited },
    { when: 'another method is answered', change: { method: 'DELETE' } },
  ])('something is wrong when $when', ({ change }) => {
    expect(answerProblems({ ...rejected, ...change })).not.toEqual([])
  })
})
