/** What an attacker has. An address that stands so many times in a list can be used for so many visits at a time. */
export const ADDRESSES = {
  one: (lanes) => Array(lanes).fill('203.20.7.9'),
  oneBlock: () => Array.from({ length: 254 }, (_, i) => `203.21.7.${i + 1}`),
  /** One /64 of each of 4,096 in one /48: more than can be used up. */
  one48: () => Array.from({ length: 4096 }, (_, i) => `2001:db8:77:${(i * 13 + 1).toString(16)}::1`),
  /** So many addresses, each in a /24 of its own. */
  networks: (count) =>
    Array.from({ length: count }, (_, i) => `${60 + (i >> 8)}.${i & 255}.${(i * 7) & 255}.${1 + (i % 250)}`),
}
