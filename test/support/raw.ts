import { connect, type Socket } from 'node:net'

/** A request as bytes: nothing is corrected on the way, unlike in every client library. */
export interface RawRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Buffer
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  /** Milliseconds until all of it was there. */
  readonly ms: number
}

/** Latin-1 for the head, so that any byte can be sent. `Content-Length` is added unless the framing is given. */
export function bytesOf({
  method = 'POST',
  path = '/api/v1/siteverify',
  headers = [],
  body = '',
}: RawRequest): Buffer {
  const framed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))
  const all = [['Host', 'verify.example.com'], ...headers]
  if (!framed) all.push(['Content-Length', String(Buffer.byteLength(body))])
  const head = [
    `${method} ${path} HTTP/1.1`,
    ...all.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)])
}

export interface SendOptions {
  /** Answers to wait for; more than one when requests are pipelined. */
  readonly answers?: number
  /** The answer has no body, whatever its headers. */
  readonly head?: boolean
  /** Milliseconds. */
  readonly patience?: number
}

export async function send(
  base: string,
  bytes: Buffer | string,
  options: SendOptions = {},
): Promise<RawAnswer> {
  const [answer] = await sendAll(base, bytes, options)
  return answer!
}

/** @throws {Error} when the connection ends, or time is up, with fewer answers than asked for. */
export function sendAll(
  base: string,
  bytes: Buffer | string,
  options: SendOptions = {},
): Promise<RawAnswer[]> {
  const socket = open(base)
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  return receive(socket, options)
}

export function open(base: string): Socket {
  const { hostname, port } = new URL(base)
  return connect({ host: hostname, port: Number(port) })
}

/** Reads answers from a connection, and closes it. */
export function receive(
  socket: Socket,
  { answers = 1, head = false, patience = 5000 }: SendOptions = {},
) {
  const started = performance.now()
  return new Promise<RawAnswer[]>((resolve, reject) => {
    let received = Buffer.alloc(0)
    const got: RawAnswer[] = []
    const timer = setTimeout(() => finish(), patience)
    const finish = (): void => {
      clearTimeout(timer)
      socket.destroy()
      if (got.length === answers) resolve(got)
      else
        reject(
          new Error(
            `${got.length} of ${answers} answers; received ${JSON.stringify(received.toString())}`,
          ),
        )
    }
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (let parsed = parse(received, head); parsed; parsed = parse(received, head)) {
        received = received.subarray(parsed.end)
        if (parsed.status >= 200) got.push({ ...parsed, ms: performance.now() - started })
      }
      if (got.length >= answers) finish()
    })
    socket.once('error', finish)
    socket.once('close', finish)
  })
}

function parse(
  bytes: Buffer,
  head: boolean,
): (Omit<RawAnswer, 'ms'> & { end: number }) | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [first = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const status = Number(first.split(' ')[1])
  const length = head || status < 200 ? 0 : Number(headers.get('content-length') ?? 0)
  const end = headEnd + 4 + length
  return bytes.length < end
    ? undefined
    : { status, headers, body: bytes.subarray(headEnd + 4, end), end }
}
