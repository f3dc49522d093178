import { HumanVerification } from '@human-verification/client/react'

export default function Page() {
  return (
    <form method="post" action="/sign-up">
      <label>
        Email <input name="email" type="email" required />
      </label>
      <HumanVerification sitekey="SITEKEY" action="sign-up" apiBase="http://127.0.0.1:8080/" />
      <button>Sign up</button>
    </form>
  )
}
