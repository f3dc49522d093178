/** `hv-gate replay`: what becomes of the requests of an access log, by who sent them, before anything is switched on. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Guests } from './guests.ts'
import { findHost, hostsOf } from './hosts.ts'
import { type Identity, wordsOf } from './identity.ts'
import { SettingsError } from './problems.ts'
import type { Configuration } from './read-settings.ts'
import { ruleOf, type Ruling } from './rules.ts'
import { hostOf, type Visit } from './visit.ts'

/** Counts of one kind of visitor. */
interface Row {
  readonly who: string
  readonly isBrowser: boolean
  letIn: number
  asked: number
  refused: number
  /** A path that was asked for or refused. */
  example: string
}
export interface Replay {
  /** Whom a gate shuts out comes first: programs that are asked for a visit, which they cannot make. */
  readonly rows: readonly Row[]
  readonly lines: number
  /** Lines that are in no known format. */
  readonly unread: number
  /** Requests for hosts of no gate. */
  readonly elsewhere: number
}

type Request = Pick<Visit, 'address' | 'method' | 'target' | 'headers'> & {
  readonly host: string | undefined
}
const COMBINED =
  /^(\S+) \S+ .*?\[[^\]]*\] "([A-Za-z]+) (\S+)[^"]*" \d{3} \S+(?: "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)")?/

/** Reads a line of nginx, Apache and HAProxy (`option httplog clf`), or one of Caddy's JSON. */
export function requestOf(line: string): Request | undefined {
  if (line.startsWith('{')) return fromCaddy(line)
  const [, address, method = '', target = '', referer, agent] = COMBINED.exec(line) ?? []
  if (address === undefined) return undefined
  const headers = { ...(referer && { referer }), 'user-agent': agent ?? '' }
  return { address, method, target, headers, host: undefined }
}

function fromCaddy(line: string): Request | undefined {
  let request: Record<string, unknown> | undefined
  try {
    ;({ request } = JSON.parse(line) as { request?: Record<string, unknown> })
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  if (typeof request !== 'object' || typeof request['uri'] !== 'string') return undefined
  const lines = Object.entries((request['headers'] ?? {}) as Record<string, string[]>)
  return {
    address: String(request['client_ip'] ?? request['remote_ip']),
    method: String(request['method']),
    target: request['uri'],
    host: hostOf(String(request['host'])),
    headers: Object.fromEntries(lines.map(([name, [value]]) => [name.toLowerCase(), value])),
  }
}

const BROWSER = /^Mozilla\/5\.0 \((?!compatible)[^)]*\) .*(?:Chrome|Firefox|Safari)\/[\d.]+/
const ROBOT = /bot\b|crawl|spider|preview/i
const MOST_ROWS = 5000

/** Names the kind of a visitor. A user agent is a stranger's text, and is printed: letters only. */
function familyOf(identity: Identity, agent = ''): string {
  if (identity.strength !== 'unknown') return wordsOf(identity)
  if (agent === '' || agent === '-') return 'no user agent'
  if (BROWSER.test(agent) && !ROBOT.test(agent)) return 'browsers'
  const [name = ''] =
    /(?<=compatible; )[\w.-]+|^(?!Mozilla\/)[\w. -]+|[\w-]*bot\b/i.exec(agent) ?? []
  return name.trim().slice(0, 40) || 'others'
}

/** @param host of lines that name none. */
export async function replay(
  lines: AsyncIterable<string>,
  host: string,
  { gates, fetched }: Configuration,
): Promise<Replay> {
  const hosts = hostsOf(gates)
  const guests = new Guests(fetched)
  const rows = new Map<string, Row>()
  const counts = { lines: 0, unread: 0, elsewhere: 0 }
  for await (const line of lines) {
    if (line === '') continue
    counts.lines += 1
    const request = requestOf(line)
    const name = request?.host ?? host
    const place = findHost(hosts, name)
    if (!request) counts.unread += 1
    else if (!place) counts.elsewhere += 1
    else {
      const visit = { ...request, host: name, origin: `https://${name}`, isSecure: true }
      const identity = guests.identify(visit)
      const family = familyOf(identity, request.headers['user-agent'])
      count(rowOf(rows, family), ruleOf(visit, place.gate.rules, identity), visit.target)
    }
  }
  const shutOut = ({ isBrowser, asked, refused }: Row): number => refused + (isBrowser ? 0 : asked)
  const sorted = [...rows.values()].sort((one, other) => shutOut(other) - shutOut(one))
  return { rows: sorted, ...counts }
}

function rowOf(rows: Map<string, Row>, family: string): Row {
  const who = rows.size < MOST_ROWS || rows.has(family) ? family : 'others'
  const isBrowser = who === 'browsers'
  const row = rows.get(who) ?? { who, isBrowser, letIn: 0, asked: 0, refused: 0, example: '' }
  rows.set(who, row)
  return row
}

function count(row: Row, { effect }: Ruling, target: string): void {
  if (effect === 'allow') {
    row.letIn += 1
    return
  }
  if (effect === 'deny') row.refused += 1
  else row.asked += 1
  if (row.example === '') row.example = target.replaceAll(/[^!-~]/g, '?').slice(0, 60)
}

/** Lines that are printed: further ones are of few requests. */
const SHOWN = 40

/** Replays a file. @param name of the host whose log it is, where its lines do not say so. */
export async function replayFile(
  file: string,
  name: string | undefined,
  configuration: Configuration,
): Promise<string[]> {
  const host = name ?? configuration.gates[0]!.hosts[0]!
  if (!findHost(hostsOf(configuration.gates), host))
    throw new SettingsError(`${host}: no gate has this host`)
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
  const { rows, lines: all, unread, elsewhere } = await replay(lines, host, configuration)
  const isShown = rows.slice(0, SHOWN)
  const letIn = isShown.map(
    (row) =>
      [row.letIn, row.asked, row.refused].map((each) => String(each).padStart(9)).join('') +
      `  ${row.who.padEnd(26)} ${row.example}`,
  )
  return [
    `${all} lines, ${unread} in no known format, ${elsewhere} for hosts of no gate`,
    '   let in    asked  refused  who                        for example',
    ...letIn,
    ...(rows.length > SHOWN ? [`and ${rows.length - SHOWN} further kinds of programs`] : []),
    'Browsers that are asked pass a silent visit. A program that is asked is shut out: name it in guests or in a rule.',
  ]
}
