import { JWS } from './service.ts'

/** Takes the pass out of the address, `#hv=…`: no server is sent it, and it is for the first widget that looks. */
export function takePass(): string | undefined {
  const { href } = location
  const at = href.indexOf('#hv=')
  const pass = href.slice(at + 4)
  if (at < 0 || !JWS.test(pass)) return undefined
  history.replaceState(history.state, '', href.slice(0, at))
  return pass
}
