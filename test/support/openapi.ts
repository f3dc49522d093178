import { Ajv2020 } from 'ajv/dist/2020.js'
import {
  type Answer,
  type Header,
  openapiDocument,
  type OpenapiOperation,
  resolved,
} from '../../docs/make/openapi.ts'
import { SCRIPTS } from '../../src/http/vendor-shapes.ts'

export interface SeenAnswer {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

// References are read from the document's own root.
const document = JSON.parse(
  JSON.stringify(openapiDocument()).replaceAll('"#/components/', '"openapi.json#/components/'),
) as ReturnType<typeof openapiDocument>
// The tuples of the codes have a least and a most; ajv's strict mode would want `prefixItems`.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema(document, 'openapi.json')

/** Matches the sitekey in the path of Cap's shape. */
const A_SITEKEY = /^\/hv_site_[\w-]{8,64}\//

/** The answer as documented; undefined: this method of this path never answers so. An unknown path is documented by the failures of every path. */
function documented({ method, path, status }: SeenAnswer): Answer | undefined {
  const item = document.paths[path] ?? document.paths[path.replace(A_SITEKEY, '/{sitekey}/')]
  const operation = item?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
  // A site may have switched this shape off.
  const isOff = status === 404 && operation?.operationId.startsWith('siteverify-') === true
  if (operation && !isOff)
    return status === 404 || status === 405 ? undefined : answerOf(operation, status)
  return failsAnywhere(status, isOff || !item)
    ? answerOf(document.paths['/health']!['get']!, status)
    : undefined
}

/** Reports whether every path may fail so. */
const failsAnywhere = (status: number, isMissing: boolean): boolean =>
  status === 400 || status === 405 || (status === 404 && isMissing)

function answerOf({ responses }: OpenapiOperation, status: number): Answer | undefined {
  const answer = responses[status]
  return answer && resolved(document, answer)
}

/**
 * What is wrong with an answer of the public listener, held against the OpenAPI document: status, headers, body.
 * The widget's files and a browser's preflight are no operations; only how they fail is documented.
 */
export function answerProblems(seen: SeenAnswer): readonly string[] {
  const { method, path, status, body } = seen
  const isScript = path.startsWith('/assets/') || SCRIPTS.has(path)
  if (isScript && [200, 206, 304].includes(status)) return []
  if (method === 'OPTIONS' && status === 204 && /^\/api\/v1\/(challenge|solve)$/.test(path))
    return body ? ['a preflight has a body'] : []
  const at = `${method} ${path} ${status}`
  const answer = documented(seen)
  if (!answer) return [`${at}: openapi.json has no such answer; ${body.slice(0, 200)}`]
  const [type, content] = Object.entries(answer.content)[0]!
  const problems = headerProblems(seen, type, answer.headers).map((each) => `${at}: ${each}`)
  // RFC 9110, section 9.3.2: the same headers, no body.
  if (method === 'HEAD') return problems
  try {
    if (!ajv.validate(content.schema, JSON.parse(body)))
      problems.push(`${at}: ${ajv.errorsText()}; ${body.slice(0, 200)}`)
  } catch {
    problems.push(`${at}: not JSON; ${body.slice(0, 200)}`)
  }
  return problems
}

function headerProblems({ headers }: SeenAnswer, type: string, wanted: Answer['headers']) {
  const problems: string[] = []
  if (headers.get('content-type') !== `${type}; charset=utf-8`)
    problems.push(`Content-Type ${headers.get('content-type')}`)
  for (const [name, header] of Object.entries(wanted)) {
    const { required, schema } = resolved<Header>(document, header)
    const value = headers.get(name)
    if (value === null && !required) continue
    if (value === null || !ajv.validate(schema, value)) problems.push(`${name}: ${value}`)
  }
  return problems
}
