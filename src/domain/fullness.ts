/*
 * Shares of the store's memory, which a flood of junk can fill. The rest is reserved for visitors who already have a challenge
 * or a token. docs/design/decisions.md, "Ledger and Redis"
 */

/** From this share, a network has the visit limit of one address. */
export const TIGHT_FROM = 0.85
/** From this share, no challenge is issued. */
export const RESERVED_FROM = 0.95
