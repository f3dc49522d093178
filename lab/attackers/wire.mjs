import { Agent, request } from 'node:http'

const CONNECTIONS = new Agent({ keepAlive: true, maxSockets: 64 })

/** Posts a form with exactly these headers, in this order and spelling. `fetch` would add headers of its own. */
export async function post(url, fields, headers) {
  try {
    return await postOnce(url, fields, headers, CONNECTIONS)
  } catch (error) {
    // The service closed a connection that had been idle. A second call changes nothing: the same body of solve is the
    // same attempt.
    if (error.isReused && error.code === 'ECONNRESET') return postOnce(url, fields, headers, false)
    throw error
  }
}

async function postOnce(url, fields, headers, agent) {
  const body = String(
    new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])),
  )
  const { status, text, retryAfter } = await send(url, { headers, body, agent })
  return { status, body: JSON.parse(text), retryAfter }
}

/** Makes one request. `agent` false: a connection of its own; `timeout`: milliseconds. */
export function send(
  url,
  { method = 'POST', headers, body = '', agent = CONNECTIONS, timeout, localAddress },
) {
  const own = [
    ['Host', new URL(url).host],
    ['Connection', agent ? 'keep-alive' : 'close'],
    ['Content-Length', String(Buffer.byteLength(body))],
  ]
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { method, agent, timeout, localAddress, headers: [...own, ...headers].flat() },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.once('error', reject)
        answer.once('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            text,
            retryAfter: Number(answer.headers['retry-after'] ?? 0),
          }),
        )
      },
    )
    call.once('timeout', () => call.destroy(new Error('timeout')))
    call.once('error', (error) => reject(Object.assign(error, { isReused: call.reusedSocket })))
    call.end(body)
  })
}

const FORM = 'application/x-www-form-urlencoded;charset=UTF-8'

/** Headers of a Chrome on Windows that calls across sites, in its order, from the customer's origin. */
export const chrome = (page) => [
  ['sec-ch-ua-platform', '"Windows"'],
  [
    'User-Agent',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  ],
  ['sec-ch-ua', '"Chromium";v="156", "Google Chrome";v="156", "Not(A:Brand";v="8"'],
  ['Content-Type', FORM],
  ['sec-ch-ua-mobile', '?0'],
  ['Accept', '*/*'],
  ['Origin', page],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Sec-Fetch-Mode', 'cors'],
  ['Sec-Fetch-Dest', 'empty'],
  ['Referer', `${page}/`],
  ['Accept-Encoding', 'gzip, deflate, br, zstd'],
  ['Accept-Language', 'en-GB,en-US;q=0.9,en;q=0.8'],
]

/** Headers of a Chrome on an Android phone. */
export const phone = (page) =>
  chrome(page).map(([name, value]) => [
    name,
    {
      'sec-ch-ua-platform': '"Android"',
      'sec-ch-ua-mobile': '?1',
      'User-Agent':
        'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36',
    }[name] ?? value,
  ])

/** Headers of a Firefox on Linux, in its order, from the customer's origin. */
export const firefox = (page) => [
  ['User-Agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'],
  ['Accept', '*/*'],
  ['Accept-Language', 'en-GB,en;q=0.5'],
  ['Accept-Encoding', 'gzip, deflate, br, zstd'],
  ['Content-Type', FORM],
  ['Origin', page],
  ['Referer', `${page}/`],
  ['Sec-Fetch-Dest', 'empty'],
  ['Sec-Fetch-Mode', 'cors'],
  ['Sec-Fetch-Site', 'cross-site'],
]
