// A customer's site for the recipe of docs/start/testing.md: one page, one form, and a handler that asks before it acts.
import { createServer } from 'node:http'

const { HV_URL, HV_SITEKEY, HV_SECRET, PORT = '3000' } = process.env

const page = (main) => `<!doctype html><html lang="en"><title>Shop</title>
<script src="${HV_URL}/assets/captcha.js?v=1" defer></script><main>${main}</main>`
const form = `<form method="post" action="/sign-up"><label>Email <input name="email"></label>
<div class="svc-captcha" data-sitekey="${HV_SITEKEY}" data-action="sign-up" data-api-base="${HV_URL}/"></div>
<button>Sign up</button></form>`

async function isHuman(response) {
  try {
    const body = new URLSearchParams({ secret: HV_SECRET, response, action: 'sign-up' })
    const res = await fetch(`${HV_URL}/api/v1/siteverify`, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(3000),
    })
    const { success, action, hostname, 'error-codes': codes } = await res.json()
    process.stdout.write(`verdict ${success} ${codes}\n`)
    return (
      res.status === 200 && success === true && action === 'sign-up' && hostname === 'localhost'
    )
  } catch {
    return false
  }
}

createServer(async (req, res) => {
  const chunks = []
  for await (const chunk of req) chunks.push(chunk)
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  if (req.method !== 'POST') return res.end(page(form))
  const human = await isHuman(
    new URLSearchParams(Buffer.concat(chunks).toString()).get('svc-response') ?? '',
  )
  res.statusCode = human ? 200 : 422
  res.end(page(human ? '<p>Welcome</p>' : '<p>Please try again</p>'))
}).listen(Number(PORT), 'localhost')
