import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { KeyringError } from '../token/keyring.ts'

/** Beside this program: `dist/` of the package. */
const inDist = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The file that starts `hv` again, as a process of its own. */
export const PROGRAM = inDist('main.js')
export const DEMO_CONFIG = inDist('../config/demo.yaml')

export function version(): string {
  return (JSON.parse(readFileSync(inDist('../package.json'), 'utf8')) as { version: string }).version
}

/** What every service of this package serves, whatever its configuration. */
export const parts = () => ({ version: version(), assets: inDist('assets'), dashboard: inDist('dashboard') })

/** An address that is taken, a Redis or a keyring that cannot be used: said in its own words, without a stack. */
export class NotStarted extends Error {}

/** @param move how to take another address instead of this one, where it is taken. */
export async function started<T>(start: Promise<T>, move: (taken: { readonly port: number }) => string): Promise<T> {
  try {
    return await start
  } catch (error) {
    if (error instanceof KeyringError) throw error
    const { code, address, port, message } = error as NodeJS.ErrnoException & { address?: string; port?: number }
    if (code === 'EADDRINUSE' && port !== undefined) {
      throw new NotStarted(
        `not started: another program listens on ${address}:${port}. Choose another port: ${move({ port })}`,
      )
    }
    throw new NotStarted(`not started: ${error instanceof Error ? message : String(error)}`)
  }
}

/** Ends with the first signal that asks for it. */
export function stopSignal(...more: NodeJS.Signals[]): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT', ...more] as const) process.on(signal, () => done())
    // Started by `hv demo`, which was killed and could not end us.
    if (process.connected) process.once('disconnect', () => done())
  })
}
