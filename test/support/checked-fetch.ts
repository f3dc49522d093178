import { expectDocumented } from './openapi.ts'

const services = new Set<string>()
const plainFetch = globalThis.fetch

/**
 * From now on every answer that a test fetches from this service is held against openapi.json. For services that run as
 * a process of their own; those in the test's process are watched where the answer leaves (recorded.ts).
 *
 * @param url `http://127.0.0.1:8080`
 */
export function holdToDocument(url: string): void {
  services.add(new URL(url).origin)
}

globalThis.fetch = async (input, init) => {
  const res = await plainFetch(input, init)
  const { origin, pathname } = new URL(input instanceof Request ? input.url : input)
  if (services.has(origin) && !pathname.startsWith('/assets/')) {
    const { status, headers } = res
    const body = await res.clone().text()
    expectDocumented({ method: init?.method ?? 'GET', path: pathname, status, headers, body })
  }
  return res
}
