import { env } from '$env/dynamic/private'
import { verify } from '@human-verification/client'
import { fail } from '@sveltejs/kit'

export const actions = {
  async default({ request }) {
    const form = await request.formData()
    const visitor = await verify({
      url: env.HV_URL,
      secret: env.HV_SECRET,
      response: form.get('svc-response'),
      action: 'sign-up',
      hostnames: ['localhost'],
    })
    if (!visitor.accepted)
      return fail(visitor.retryable ? 503 : 422, { said: 'We could not process your request. Please try again.' })
    return { said: `Welcome, ${form.get('email')}` }
  },
}
