import type { Config } from '../settings/load.ts'
import { KeyringError } from '../tokens/keyring.ts'
import { Problem } from './command.ts'

/**
 * Waits for a start; a failure becomes a sentence for the operator.
 *
 * @param move how to take another address instead of one that is taken.
 * @throws {Problem | KeyringError}
 */
export async function started<T>(start: Promise<T>, move: (port: number) => string): Promise<T> {
  try {
    return await start
  } catch (error) {
    if (error instanceof KeyringError) throw error
    const { code, address, port, message } = error as NodeJS.ErrnoException & {
      address?: string
      port?: number
    }
    if (code === 'EADDRINUSE' && port !== undefined) {
      throw new Problem(
        `not started: another program listens on ${address}:${port}. Choose another port: ${move(port)}`,
      )
    }
    if (code === 'EADDRNOTAVAIL')
      throw new Problem(`not started: ${address} is not an address of this machine`)
    throw new Problem(`not started: ${error instanceof Error ? message : String(error)}`)
  }
}

/** Another address for each listener of a service, where one is taken. */
export const otherAddress =
  ({ opsListen }: Config) =>
  (port: number): string =>
    port === opsListen.port
      ? 'HV_OPS_LISTEN=127.0.0.1:9465, or ops_listen in the configuration'
      : 'HV_LISTEN=127.0.0.1:8180, or listen in the configuration'

/**
 * Returns the address under which a program on this machine reaches a listener. That of a listener on
 * every address is no address to connect to: browsers refuse it, and it is no source of a
 * Content-Security-Policy.
 *
 * @param url as `listen` returns it: the system has written its host in the shortest form.
 */
export const reachable = (url: string): string =>
  url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, 'http://127.0.0.1')
