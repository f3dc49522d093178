/*
 * Shares of the store's memory. A flood of junk fills it; a visitor who already has a challenge or a token still needs room for
 * an entry, so the last of it is theirs. docs/design/decisions.md, "Ledger and Redis"
 */

/** From this share on a network has the room for visits of one address, however many addresses ask. */
export const TIGHT_FROM = 0.85
/** From this share on no challenge is issued. */
export const RESERVED_FROM = 0.95
