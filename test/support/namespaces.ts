import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from './programs.mjs'

/** A separate machine, as far as the network is concerned. */
export interface Host {
  /** What a command begins with to run there. */
  readonly exec: readonly string[]
  /** Its address for the other host, over the link that can be cut. */
  readonly address: string
  /** Its address for us, over a wire that stays. */
  readonly reach: string
  /** Replaces `/etc/hosts` there. */
  names(lines: readonly string[]): void
}

/** Why this machine has no network namespaces; undefined: it has. Asked once. */
export function namespacesRefused(): string | undefined {
  if (findProgram('ip') === undefined)
    return 'no program "ip" here (Debian: apt-get install iproute2)'
  try {
    twoHosts().remove()
    return undefined
  } catch (error) {
    return `this machine refuses network namespaces (${(error as Error).message})`
  }
}

/** How many pairs this process has had: the kernel takes a removed one apart in its own time. */
let made = 0

/**
 * Two namespaces on one bridge. The cut takes one of them off the bridge: both still see their carrier,
 * as when a switch in between dies.
 */
export function twoHosts() {
  const id = `hv${process.pid}n${++made}`
  const bridge = `${id}br`
  // 198.18.0.0/15 is for tests of networks (RFC 2544), so nothing real is hidden.
  const net = process.pid % 250
  ip('link', 'add', bridge, 'type', 'bridge')
  ip('link', 'set', bridge, 'up')

  function host(side: 'a' | 'b', n: number): Host {
    const name = `${id}${side}`
    const folder = join('/etc/netns', name)
    const address = `198.18.${net}.${n}`
    const reach = `198.19.${net}.${n * 4 + 2}`
    mkdirSync(folder, { recursive: true })
    const hosts = join(folder, 'hosts')
    writeFileSync(hosts, '127.0.0.1 localhost\n')
    // Nobody answers there: a name that is not in the file is not known.
    writeFileSync(
      join(folder, 'resolv.conf'),
      'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n',
    )
    ip('netns', 'add', name)
    ip('link', 'add', `${name}d`, 'type', 'veth', 'peer', 'name', 'data', 'netns', name)
    ip('link', 'add', `${name}m`, 'type', 'veth', 'peer', 'name', 'manage', 'netns', name)
    ip('link', 'set', `${name}d`, 'master', bridge, 'up')
    ip('addr', 'add', `198.19.${net}.${n * 4 + 1}/30`, 'dev', `${name}m`)
    ip('link', 'set', `${name}m`, 'up')
    ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'data')
    ip('-n', name, 'addr', 'add', `${reach}/30`, 'dev', 'manage')
    for (const device of ['lo', 'data', 'manage']) ip('-n', name, 'link', 'set', device, 'up')
    return {
      exec: ['ip', 'netns', 'exec', name],
      address,
      reach,
      // In place: the namespace has this very file mounted.
      names: (lines) => writeFileSync(hosts, `127.0.0.1 localhost\n${lines.join('\n')}\n`),
    }
  }

  function remove(): void {
    for (const side of ['a', 'b']) {
      for (const device of ['d', 'm']) spawnSync('ip', ['link', 'del', `${id}${side}${device}`])
      spawnSync('ip', ['netns', 'del', `${id}${side}`])
      rmSync(join('/etc/netns', `${id}${side}`), { recursive: true, force: true })
    }
    spawnSync('ip', ['link', 'del', bridge])
  }

  try {
    return {
      a: host('a', 1),
      b: host('b', 2),
      /** From now on packets vanish: no reset, no error, no lost carrier. */
      cut: () => ip('link', 'set', `${id}ad`, 'nomaster'),
      heal: () => ip('link', 'set', `${id}ad`, 'master', bridge),
      remove,
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** @throws {Error} with what the program said. */
function ip(...args: string[]): void {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(error?.message ?? stderr.trim().split('\n')[0])
}
