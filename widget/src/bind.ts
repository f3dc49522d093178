import { sha256 } from './sha256.ts'

/** The values of `data-bind`, as a browser would send them now. docs/widget/bind.md */
export function boundText(container: Element, names: string): string {
  const fields = [...(container.closest('form')?.elements ?? [])]
  return names
    .split(',')
    .map((name) => name.trim())
    .flatMap((name) =>
      fields
        .filter((field) => field.getAttribute('name') === name)
        .flatMap((field) => valuesOf(field as Field).map((value) => netstring(name) + netstring(value))),
    )
    .join('')
}

type Field = HTMLInputElement & Pick<HTMLSelectElement, 'selectedOptions'>

/** @returns none where the browser sends none: of a box that is not ticked, of what is disabled. Files are left out. */
function valuesOf(field: Field): string[] {
  const isSent = field.matches('input,select,textarea') && !field.matches(':disabled')
  if (!isSent || /^(submit|button|reset|image|file)$/.test(field.type)) return []
  if (/^(checkbox|radio)$/.test(field.type) && !field.checked) return []
  if (!field.selectedOptions) return [field.value]
  return Array.from(field.selectedOptions).flatMap((option) => (option.matches(':disabled') ? [] : [option.value]))
}

/** How long it is in UTF-8, and the text; every line ends in one line feed, however it was sent. */
function netstring(text: string): string {
  const plain = text.replace(/\r\n?/g, '\n')
  return `${bytesOf(plain).length}:${plain},`
}

/**
 * The digest that the service puts into the token: HMAC-SHA-256 under the id that challenge and token share, so that one
 * value has another digest in each token. By our own SHA-256: `crypto.subtle` is missing on plain http, and is never done at once.
 *
 * @see RFC 2104
 */
export function digestOf(text: string, challenge: string): string {
  const payload = challenge.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/')
  const { jti } = JSON.parse(atob(payload)) as { jti: string }
  const hash = (pad: number, bytes: Uint8Array): Uint8Array => {
    const block = new Uint8Array(64 + bytes.length).fill(pad, 0, 64)
    bytesOf(jti).forEach((byte, i) => (block[i]! ^= byte))
    block.set(bytes, 64)
    return new Uint8Array(sha256(block))
  }
  return Array.from(hash(0x5c, hash(0x36, bytesOf(text))), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
