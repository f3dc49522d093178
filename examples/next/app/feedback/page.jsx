import { redirect } from 'next/navigation'
import { verify } from '@human-verification/client'

// A server action is called with the form's fields, and the token is one of them.
async function send(form) {
  'use server'
  const visitor = await verify({
    url: process.env.HV_URL,
    secret: process.env.HV_SECRET,
    response: form.get('svc-response'),
    action: 'feedback',
    hostnames: ['shop.example.com'],
  })
  if (!visitor.accepted) redirect(visitor.retryable ? '/feedback?said=later' : '/feedback?said=no')
  redirect('/feedback?said=thanks')
}

const SAID = {
  thanks: 'Thank you.',
  no: 'We could not process your request. Please try again.',
  later: 'Temporarily unavailable. Please try again later.',
}

export default async function Feedback({ searchParams }) {
  const { said } = await searchParams
  return (
    <form action={send}>
      <textarea name="text" aria-label="Feedback" />
      <div
        className="svc-captcha"
        data-sitekey="hv_site_yours"
        data-action="feedback"
        suppressHydrationWarning
      />
      <button>Send</button>
      <output>{SAID[said]}</output>
    </form>
  )
}
