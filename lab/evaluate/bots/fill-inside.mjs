/**
 * Fills in the form by a script inside of a simulated page, sends it as a browser would, and ends the process; it gives up
 * after `patience` milliseconds.
 */
export function fillInside(window, { url, who, patience }) {
  const { document } = window
  const send = async (form) => {
    await fetch(new URL('/sign-up', url), {
      method: 'POST',
      body: new URLSearchParams([...new window.FormData(form)]),
    })
    process.exit(0)
  }
  window.HTMLFormElement.prototype.submit = function () {
    void send(this)
  }
  document.addEventListener('submit', (event) => {
    if (event.defaultPrevented) return
    event.preventDefault()
    void send(event.target)
  })
  for (const [id, value] of Object.entries(who)) {
    const field = document.getElementById(id)
    field.focus()
    field.value = value
    field.dispatchEvent(
      new window.InputEvent('input', { bubbles: true, inputType: 'insertText', data: value }),
    )
  }
  document.getElementById('terms').click()
  document.getElementById('send').click()
  setTimeout(() => {
    const length = document.querySelector('[name=svc-response]')?.value?.length ?? 'no'
    console.error(`no form: field has ${length} characters`)
    process.exit(1)
  }, patience)
}
