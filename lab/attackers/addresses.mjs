import { pause } from '../stand/processes.mjs'

/** Addresses that an attacker has, and the ones of them that may be used now. */
export function addressPool(list) {
  const free = [...list]
  const resting = []
  const used = new Set()
  return {
    used: () => used.size,
    /** Waits for an address. @returns {Promise<string | undefined>} undefined where none is free before `end` */
    async take(end) {
      for (;;) {
        const now = performance.now()
        for (let i = resting.length - 1; i >= 0; i--)
          if (resting[i].until <= now) free.push(resting.splice(i, 1)[0].address)
        const address = free.shift()
        if (address !== undefined) {
          used.add(address)
          return address
        }
        if (now >= end) return undefined
        await pause(Math.min(200, end - now))
      }
    },
    /** Gives an address back, for use after so many milliseconds. */
    giveBack(address, restMs = 0) {
      if (restMs > 0) resting.push({ address, until: performance.now() + restMs })
      else free.push(address)
    },
  }
}

/** Each place in the list so often that so many visits at a time can use it. */
const often = (list, times) => Array.from({ length: times }, () => list).flat()

export const ADDRESSES = {
  one: (lanes) => often(['203.20.7.9'], lanes),
  oneBlock: () => Array.from({ length: 254 }, (_, i) => `203.21.7.${i + 1}`),
  /** One /64 of each of 4,096 in one /48: more than can be used up. */
  one48: () => Array.from({ length: 4096 }, (_, i) => `2001:db8:77:${(i * 13 + 1).toString(16)}::1`),
  /** So many addresses, each in a /24 of its own. */
  networks: (count) =>
    Array.from({ length: count }, (_, i) => `${60 + (i >> 8)}.${i & 255}.${(i * 7) & 255}.${1 + (i % 250)}`),
}
