import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withNewKey } from '../../packages/gate/dist/keys.js'
import { folder } from './folder.mjs'
import { ROOT } from './machine.mjs'
import { start, until } from './processes.mjs'
import { SITEKEY } from './service.mjs'

/**
 * Starts `hv-gate serve` as it is built, for one site whose name is 127.0.0.1 and whose pages below /open/ need no clearance. Without
 * `service` nothing answers at the service's address. `measured`: on which core and by which Node.js.
 */
export async function startGate({
  service = { url: 'http://127.0.0.1:9', secret: 'hv_secret_of_a_flood' },
  measured: { node = process.execPath, core } = {},
} = {}) {
  const own = folder('hv-gate')
  const file = (name, text) => {
    writeFileSync(join(own.path, name), text, { mode: 0o600 })
    return join(own.path, name)
  }
  file('key.json', withNewKey())
  file('secret', service.secret)
  const rules = [{ name: 'open', when: { path: ['/open/*'] }, effect: 'allow' }]
  const gates = [{ hosts: ['127.0.0.1'], sitekey: SITEKEY, secret_file: 'secret', rules }]
  const settings = { listen: '127.0.0.1:0', ops_listen: '127.0.0.1:0', key_file: 'key.json' }
  const config = { version: 1, service: service.url, ...settings, gates }
  const program = join(ROOT, 'packages/gate/dist/main.js')
  const written = file('hv-gate.yaml', JSON.stringify(config))
  const gate = start(node, [program, 'serve', '--config', written], { core })
  const address = () => /"url":"http:\/\/([^"]+)"/.exec(gate.said())?.[1]
  const host = await until(address, 'the gate', 20_000)
  return { host, cpu: gate.cpu, stop: () => gate.stop().then(() => own.remove()) }
}
