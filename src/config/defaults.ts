/** What a setting is when the file does not name it, spelled as in the file. CONTRACT.md, section 2. */
export const DEFAULTS = {
  mode: 'production',
  listen: '127.0.0.1:8080',
  ops_listen: '127.0.0.1:9464',
  key_prefix: 'hv:',
  partitions: 1,
  limits: {
    challenge: '60 per 1m',
    solve: '60 per 1m',
    siteverify: '6000 per 1m',
    invalid_secret: '30 per 1m',
  },
  log_level: 'info',
  log_format: 'json',
  score_threshold: 0.5,
  token_lifetime: '120s',
  challenge_lifetime: '10m',
  level: 3,
  max_level: 6,
  human_cost: '2s',
  receipt: false,
  reasons: false,
} as const
