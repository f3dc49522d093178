/** The wrapper of `/next`: by which kinds of argument a framework may call it. */
import { describe, expect, test } from '@jest/globals'
import { requireHuman, type RequestEvent } from '../src/next.ts'
import { SECRET, testService } from '../../../test/support/app.ts'
import { token } from '../../../test/support/visitor.ts'

const service = await testService()
const options = {
  url: service.base,
  secret: SECRET,
  action: 'sign-up',
  hostnames: ['shop.example.com'] as [string],
}
const requestWith = (fields: Readonly<Record<string, string>>) =>
  new Request('https://shop.example.com/sign-up', {
    method: 'POST',
    body: new URLSearchParams({ email: 'ada@example.com', ...fields }),
  })

/** What a route of the edge runtime of Next.js gets: the member is there, and reading it throws. */
function requestOfEdge(request: Request): Request {
  return Object.defineProperty(request, 'request', {
    get() {
      throw new Error('The middleware accepts an async API directly with the form')
    },
  })
}

const CALLS = {
  'a request': (request: Request) => request,
  'a request of the edge runtime of Next.js': requestOfEdge,
  'an event with the request, as of SvelteKit': (request: Request) => ({
    request,
    url: new URL(request.url),
    params: {},
    locals: {},
  }),
  'arguments with the request, as of React Router': (request: Request) => ({
    request,
    params: {},
    context: {},
  }),
}

describe.each(Object.entries(CALLS))('called with %s', (_name, wrap) => {
  const welcome = requireHuman<Request | RequestEvent>(options, async (incoming) => {
    const request = 'headers' in incoming ? incoming : incoming.request
    const email = new URLSearchParams(await request.text()).get('email')
    return new Response(`${email}, ${incoming.human.action}`)
  })

  test('the handler runs for a token, with the verdict and a body that is unread', async () => {
    const answer = await welcome(wrap(requestWith({ 'svc-response': await token(service.ask) })))
    expect([answer.status, await answer.text()]).toEqual([200, 'ada@example.com, sign-up'])
  })

  test('without a token the visitor is refused', async () => {
    expect((await welcome(wrap(requestWith({})))).status).toBe(422)
  })
})

test('a handler without annotations gets a request, and one of a framework’s type its event', () => {
  const post = requireHuman(options, async (request) => new Response(await request.text()))
  const takesRequest: (request: Request) => Promise<Response> = post
  const takesEvent: (event: RequestEvent & { readonly locals: object }) => Promise<Response> =
    requireHuman(options, async ({ request, locals, human }) => {
      return Response.json({ path: request.url, locals, score: human.score })
    })
  expect([typeof takesRequest, typeof takesEvent]).toEqual(['function', 'function'])
})
