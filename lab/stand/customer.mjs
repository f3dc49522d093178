import { createServer } from 'node:http'
import { close } from './edge.mjs'
import {
  aboutPage,
  formPage,
  LAYOUT_SCRIPT,
  newsletterPage,
  silentPage,
  STYLE,
  thanksPage,
  votePage,
} from './page.mjs'
import { listen, until } from './processes.mjs'
import { ACTION, SILENT } from './service.mjs'

const HTML = 'text/html; charset=utf-8'

/**
 * The customer: a page on an origin of its own, and a handler that asks the service before it does anything. The outcome of a
 * visit is read here, and nowhere in the browser. The page knows the edge, the handler the service.
 */
export async function startCustomer({ edgeUrl, serviceUrl, secret }) {
  const verify = async (response, action) => {
    const answer = await fetch(`${serviceUrl}/api/v1/siteverify`, {
      method: 'POST',
      body: new URLSearchParams({ secret, response, action }),
      signal: AbortSignal.timeout(5000),
    })
    return answer.json()
  }
  return startSite({
    pages: {
      '/': formPage(edgeUrl),
      '/vote': votePage(edgeUrl),
      '/silent': silentPage(edgeUrl),
      '/newsletter': newsletterPage(),
    },
    async judge(fields, action) {
      const response = fields.get('svc-response') ?? ''
      return { response, verdict: response ? await verify(response, action) : {} }
    },
  })
}

/** What a site answers: its own pages, and the forms that arrive. */
function routesOf({ pages, receive, layouts }) {
  const shown = Object.entries(pages).map(([path, html]) => [`GET ${path}`, () => [HTML, html]])
  return {
    ...Object.fromEntries(shown),
    'GET /about': () => [HTML, aboutPage()],
    'POST /newsletter': () => [303, '/thanks'],
    'GET /thanks': () => [HTML, thanksPage()],
    'GET /style.css': () => ['text/css', STYLE],
    'GET /layout.js': () => ['text/javascript', LAYOUT_SCRIPT],
    'POST /layout': (body) => {
      layouts.push(JSON.parse(body))
      return ['text/plain', '']
    },
    'POST /sign-up': (body) => receive(body, ACTION),
    'POST /silent-check': (body) => receive(body, SILENT),
  }
}

/**
 * Starts a customer's site. `pages`: by their paths; `judge` takes the fields of a form and the action, and returns the verdict; `box`: the
 * part of the page that has to be pressed before the form is sent, if any; `elsewhere` answers all other requests.
 */
export async function startSite({ pages, judge, box, elsewhere }) {
  /** Forms that arrived, with what was said of them. */
  const forms = []
  const layouts = []
  async function receive(body, action) {
    const fields = new URLSearchParams(body)
    forms.push({ fields, ...(await judge(fields, action)) })
    return [HTML, thanksPage()]
  }
  const server = createServer(answering(routesOf({ pages, receive, layouts }), elsewhere))
  const port = await listen(server)

  return {
    // Another host than the service's, so that every call of the widget is cross-site, as it is in most deployments.
    url: `http://localhost:${port}/`,
    box,
    forms,
    layouts,
    /** The n-th form that arrives. @throws {Error} after so many milliseconds */
    form: (ms = 30_000, n = 1) =>
      until(() => forms[n - 1], 'the form at the customer’s handler', ms),
    /** Where things are, as the page told last. */
    layout: (suits = ({ path }) => path === '/', ms = 30_000) =>
      until(() => layouts.findLast(suits), 'the layout of the page', ms),
    /** Waits until the focus has gone on, or so many milliseconds: it may have left the page. */
    async focusMoved(ms) {
      const before = layouts.at(-1)?.active
      await until(() => layouts.at(-1)?.active !== before, 'another focus', ms).catch(
        () => undefined,
      )
    },
    /** What the page told so far is no longer true. */
    forget() {
      layouts.length = 0
    },
    close: () => close(server),
  }
}

/** Answers a request by its route, which returns a content type and a text, or 303 and an address. `elsewhere` answers the others. */
const answering = (routes, elsewhere) => async (req, res) => {
  try {
    let body = ''
    for await (const chunk of req) body += chunk
    const route = routes[`${req.method} ${req.url.split('?')[0]}`]
    if (!route && elsewhere) return void (await elsewhere(req, res, body))
    if (!route) return void res.writeHead(404).end()
    const [type, text] = await route(body)
    if (type === 303) return void res.writeHead(303, { location: text }).end()
    res.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' }).end(text)
  } catch (error) {
    res.writeHead(500).end(String(error))
  }
}
