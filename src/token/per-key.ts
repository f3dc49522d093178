import type { SigningKey } from './keyring.ts'

/** Makes a thing once for each key; it goes with the key. */
export function perKey<T>(make: (key: SigningKey) => T): (key: SigningKey) => T {
  const made = new WeakMap<SigningKey, T>()
  return (key) => {
    let one = made.get(key)
    if (one === undefined) made.set(key, (one = make(key)))
    return one
  }
}
