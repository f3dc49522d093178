import { randomBytes } from 'node:crypto'

/** A sitekey nobody else has: 128 random bits, 22 characters after its prefix. */
export const newSitekey = (): string => `hv_site_${randomBytes(16).toString('base64url')}`

/** A secret nobody can guess: 256 random bits, 43 characters after its prefix. */
export const newSecret = (): string => `hv_secret_${randomBytes(32).toString('base64url')}`
