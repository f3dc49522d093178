import { requireHuman } from '@human-verification/client/next'

export const POST = requireHuman(
  { url: process.env.HV_URL, secret: process.env.HV_SECRET, action: 'sign-up', hostnames: ['localhost'] },
  async (request) => {
    const form = new URLSearchParams(await request.text())
    return new Response(`Welcome, ${form.get('email') ?? ''}`)
  },
)
