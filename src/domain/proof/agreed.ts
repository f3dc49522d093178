/** Code that the server and the widget must share, in one place; the widget imports this file, and no other of the proof. */

/** Bits of a listener: its kind and its acts. */
export const EVENT_BITS = {
  capture: 1,
  once: 2,
  passive: 4,
  stop: 8,
  stopNow: 16,
  prevent: 32,
  /** Adds to what is heard when the script has ended, by a microtask. */
  later: 64,
  /** Takes the listener after it away. */
  removesNext: 128,
} as const

/** Bits of a dispatch. */
export const DISPATCH_BITS = { bubbles: 1, cancelable: 2 } as const

/** A prime: sums are below it, so a guess is right once in 9,973. */
const MODULUS = 9973

/** The sum by which a list of whole numbers is told; the widget makes the same of what its engine did. */
export function listSum(values: readonly number[]): number {
  let sum = 7
  for (const value of values) sum = (sum * 31 + value) % MODULUS
  return sum
}

/** The sum of a text's UTF-16 code units. */
export function textSum(text: string): number {
  let sum = 7
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) % MODULUS
  return sum
}
