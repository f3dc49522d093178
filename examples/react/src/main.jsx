import { StrictMode, useActionState, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { HumanVerification } from '@human-verification/client/react'

async function signUp(_before, fields) {
  const answer = await fetch('/sign-up', { method: 'POST', body: new URLSearchParams(fields) }).catch(() => undefined)
  return answer?.ok ? 'Thank you.' : 'We could not process your request. Please try again.'
}

function SignUp() {
  const [said, submit, isSending] = useActionState(signUp, '')
  return (
    <form action={submit}>
      <p>
        <label>
          Email <input name="email" type="email" required />
        </label>
      </p>
      <HumanVerification
        sitekey="hv_site_demopx-kFQkgnI3lniO4"
        action="sign-up"
        apiBase="http://127.0.0.1:8080/"
        onError={console.error}
      />
      <p>
        <button disabled={isSending}>Sign up</button> <output>{said}</output>
      </p>
    </form>
  )
}

function App() {
  const [isOpen, setOpen] = useState(true)
  return (
    <>
      <h1>Sign up</h1>
      <button onClick={() => setOpen(!isOpen)}>{isOpen ? 'Close' : 'Open'}</button>
      {isOpen && <SignUp />}
    </>
  )
}

createRoot(document.querySelector('#root')).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
