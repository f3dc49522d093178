/**
 * Credentials of the demonstration site. Published on purpose, so a new checkout can be tried at once; the
 * configuration refuses the secret for any hostname but this machine's own (src/settings/secrets.ts).
 */
export const DEMO_SITEKEY = 'hv_site_demopx-kFQkgnI3lniO4'
export const DEMO_SECRET = 'hv_secret_demo_vke3pF6jgFUNwiJDlZ0oQoLgYoq_lj3obRpreV0sW6M'
