import { requireHuman } from '@human-verification/kit/next'

export const POST = requireHuman(
  { url: process.env.HV_URL, secret: process.env.HV_SECRET, action: 'sign-up', hostnames: ['localhost'] },
  async (request) => {
    const form = await request.formData()
    return new Response(`Welcome, ${form.get('email')}`)
  },
)
