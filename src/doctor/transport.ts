import { isIP } from 'node:net'
import { connect, rootCertificates } from 'node:tls'
import { type Ask, type Diagnosis, good, fix, notAsked, reasonOf, unknown } from './diagnosis.ts'

const WAIT_MS = 5000
const DAY_MS = 86_400_000
/** Days before its end at which a certificate ought to be renewed by itself already. */
const RENEWED_BY = 14
/** Seconds; a token's tolerance (src/tokens/tokens.ts), beyond which tokens of one clock are refused by another. */
const TOLERANCE = 5

/** Where the service is, and how it is asked. */
export interface Examination {
  readonly service: URL
  readonly ask: Ask
  /** Certificate authorities to trust besides the machine's own, PEM; undefined: none. */
  readonly ca: string | undefined
  /** Unix milliseconds. */
  readonly now: () => number
}

export interface Transport {
  readonly findings: readonly Diagnosis[]
  /** Whether `/health` answered at all. If not, asking for more would find the same cause again. */
  readonly reached: boolean
}

/** Examines whether the service can be reached, is encrypted, and has this machine's time. */
export async function examineTransport(examination: Examination): Promise<Transport> {
  const { service } = examination
  const health = await examineHealth(examination)
  if (typeof health !== 'string') {
    return { findings: [...health, await examineEncryption(examination)], reached: true }
  }
  const encryption = service.protocol === 'https:' ? await examineEncryption(examination) : undefined
  // A certificate that nobody trusts is the cause, and has its own words.
  if (encryption?.saw.includes('not trusted')) {
    return { findings: [encryption, ...notAsked(['reachable', 'clock'], 'repair TLS')], reached: false }
  }
  const advice = 'is the address right, the process running, the port open?'
  const lost = fix('reachable', health, advice)
  return { findings: [lost, ...notAsked(['TLS', 'clock'], 'make it reachable')], reached: false }
}

/** @returns a reason instead of findings when nobody answered. */
async function examineHealth({ service, ask, now }: Examination): Promise<readonly Diagnosis[] | string> {
  const askedAt = now()
  let res: Response
  try {
    res = await ask(new URL('health', service), { signal: AbortSignal.timeout(WAIT_MS) })
  } catch (error) {
    return reasonOf(error)
  }
  const answeredAt = now()
  const body: unknown = await res.json().catch(() => undefined)
  const { status, test, 'error-codes': listed } = (body ?? {}) as Record<string, unknown>
  const codes = Array.isArray(listed) ? listed.join(', ') : `HTTP ${res.status}`
  const diagnoses: Diagnosis[] = []
  if (status === 'ok') diagnoses.push(good('reachable', `/health answers in ${answeredAt - askedAt} ms`))
  else if (status === 'unavailable') {
    diagnoses.push(fix('reachable', `/health says ${codes}`, 'the log says why: Redis, its policy, or the schema'))
  } else {
    diagnoses.push(
      fix('reachable', `/health answers ${res.status}, but not as this service`, 'the address leads to something else'),
    )
  }
  if (test === true)
    diagnoses.push(fix('mode', 'test mode: protects nothing', 'take `mode: test` out of the configuration'))
  return [...diagnoses, clockFinding(res.headers.get('date'), askedAt, answeredAt), proxies(res.headers)]
}

/** A Date header says whole seconds of a moment between asking and being answered. */
function clockFinding(date: string | null, askedAt: number, answeredAt: number): Diagnosis {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return unknown('clock', 'no Date header', 'a proxy removes it; compare the clocks by hand')
  const ahead = Math.max(0, theirs - answeredAt) / 1000
  const behind = Math.max(0, askedAt - theirs - 1000) / 1000
  const off = Math.max(ahead, behind)
  if (off <= TOLERANCE) return good('clock', `within ${Math.ceil(off)} s of this machine's`)
  const saw = `${Math.round(off)} s ${ahead > behind ? 'ahead of' : 'behind'} this machine's`
  return fix('clock', saw, 'run NTP on both; the ledger judges by the clock of Redis, keys and logs by the service’s')
}

/** What proxies say of themselves. Those that say nothing cannot be counted from here. */
function proxies(headers: Headers): Diagnosis {
  const via = (headers.get('via') ?? '').split(',').filter((each) => each.trim() !== '')
  const server = headers.get('server')
  const names = [...via.map((each) => each.trim()), ...(server === null ? [] : [server])]
  const saw = names.length === 0 ? 'none names itself' : `${names.length} name themselves: ${names.join('; ')}`
  return good('proxies', saw)
}

async function examineEncryption({ service, ca, now }: Examination): Promise<Diagnosis> {
  if (service.protocol !== 'https:') {
    const isLocal = /^(localhost|127\.|\[::1\])/.test(service.hostname)
    if (isLocal) return good('TLS', 'none, on this machine only')
    return fix('TLS', 'none', 'secrets and tokens travel unencrypted: put a proxy with TLS in front (deploy/)')
  }
  return new Promise((resolve) => {
    const host = service.hostname.replace(/^\[|\]$/g, '')
    // RFC 6066: a name, never an address.
    const name = isIP(host) === 0 ? { servername: host } : {}
    const socket = connect({
      host,
      port: Number(service.port || 443),
      ...name,
      ...(ca && { ca: [...rootCertificates, ca] }),
      rejectUnauthorized: false,
    })
    const settle = (finding: Diagnosis): void => {
      socket.destroy()
      resolve(finding)
    }
    socket.setTimeout(WAIT_MS, () => settle(fix('TLS', 'no answer in time', 'is this the port of TLS?')))
    socket.once('error', (error) => settle(fix('TLS', reasonOf(error), 'is this the port of TLS?')))
    socket.once('secureConnect', () => {
      const protocol = socket.getProtocol() ?? 'an unknown protocol'
      const certificate = socket.getPeerCertificate()
      const days = Math.floor((Date.parse(certificate.valid_to) - now()) / DAY_MS)
      const saw = `${protocol}, certificate for ${days} more days`
      if (!socket.authorized) {
        const why = String(socket.authorizationError)
        settle(
          fix(
            'TLS',
            `${saw}; not trusted (${why})`,
            'visitors’ browsers refuse it: serve the whole chain, for this name; for an authority of your own: --ca FILE',
          ),
        )
      } else if (days < RENEWED_BY)
        settle(fix('TLS', saw, 'renew it now, and find out why it was not renewed automatically'))
      else if (/^TLSv1(\.1)?$/.test(protocol)) settle(fix('TLS', saw, 'allow TLS 1.2 and 1.3 only'))
      else settle(good('TLS', saw))
    })
  })
}
