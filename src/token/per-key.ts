import type { SigningKey } from './keyring.ts'

/** Makes a thing once for each key; it goes with the key. */
export function perKey<T>(make: (key: SigningKey) => T): (key: SigningKey) => T {
  const byKey = new WeakMap<SigningKey, T>()
  return (key) => {
    let one = byKey.get(key)
    if (one === undefined) byKey.set(key, (one = make(key)))
    return one
  }
}
