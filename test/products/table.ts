/** THE table of products that are run: docs/start/products.md has it, and products.test.ts runs each row. */
export interface Product {
  /** As its registry calls it. */
  readonly name: string
  readonly version: string
  readonly language: 'Python' | 'JavaScript' | 'Go' | 'PHP'
  readonly registry: 'PyPI' | 'npm' | 'Go module' | 'Debian'
  /** The program of this folder that runs it, and the path of its page there. */
  readonly program:
    | 'django_site.py'
    | 'flask_site.py'
    | 'synapse_site.py'
    | 'node_site.mjs'
    | 'gitea'
    | 'php_site.php'
  readonly path: string
  /** The field of the form with the token. */
  readonly field: string
  /** Its page has no button: it sends the form as soon as there is a token. */
  readonly sendsItself?: true
  /** What it answers to a visitor whom it accepts; if omitted, `accepted` alone. */
  readonly accepts?: RegExp
  /** When it was run last, and all of its tests passed. */
  readonly ran: string
  /** What the operator types, and the page's tag where it is written by hand; VERIFY stands for the service's hostname. */
  readonly types: readonly string[]
  /** Where sitekey and secret go. */
  readonly keys: readonly [sitekey: string, secret: string]
}

const ran = '2026-11-29'
const python = { language: 'Python', registry: 'PyPI', ran } as const
const django = { ...python, program: 'django_site.py' } as const
const flask = { ...python, program: 'flask_site.py' } as const
const node = {
  language: 'JavaScript',
  registry: 'npm',
  program: 'node_site.mjs',
  ran,
} as const

export const PRODUCTS: readonly Product[] = [
  {
    ...django,
    name: 'django-recaptcha',
    version: '4.1.0',
    path: '/django-recaptcha',
    field: 'g-recaptcha-response',
    keys: ['RECAPTCHA_PUBLIC_KEY', 'RECAPTCHA_PRIVATE_KEY'],
    types: ['RECAPTCHA_DOMAIN = "VERIFY"'],
  },
  {
    ...django,
    name: 'django-hCaptcha',
    version: '0.2.0',
    path: '/django-hcaptcha',
    field: 'h-captcha-response',
    keys: ['HCAPTCHA_SITEKEY', 'HCAPTCHA_SECRET'],
    types: [
      'HCAPTCHA_JS_API_URL = "https://VERIFY/1/api.js"',
      'HCAPTCHA_VERIFY_URL = "https://VERIFY/siteverify"',
    ],
  },
  {
    ...django,
    name: 'django-hcaptcha-field',
    version: '1.4.0',
    path: '/django-hcaptcha-field',
    field: 'h-captcha-response',
    keys: ['HCAPTCHA_SITEKEY', 'HCAPTCHA_SECRET'],
    types: [
      'HCAPTCHA_JS_API_URL = "https://VERIFY/1/api.js"',
      'HCAPTCHA_VERIFY_URL = "https://VERIFY/siteverify"',
    ],
  },
  {
    ...django,
    name: 'django-turnstile',
    version: '0.1.3',
    path: '/django-turnstile',
    field: 'cf-turnstile-response',
    keys: ['TURNSTILE_SITEKEY', 'TURNSTILE_SECRET'],
    types: [
      'TURNSTILE_JS_API_URL = "https://VERIFY/turnstile/v0/api.js"',
      'TURNSTILE_VERIFY_URL = "https://VERIFY/turnstile/v0/siteverify"',
    ],
  },
  {
    ...django,
    name: 'drf-recaptcha',
    version: '4.0.3',
    path: '/drf-recaptcha',
    field: 'recaptcha',
    keys: ['data-sitekey', 'DRF_RECAPTCHA_SECRET_KEY'],
    types: [
      'DRF_RECAPTCHA_DOMAIN = "VERIFY"',
      'ReCaptchaV3Field(action="sign-up", required_score=0)',
      '<script src="https://VERIFY/recaptcha/api.js" async defer></script>',
    ],
  },
  {
    ...flask,
    name: 'Flask-WTF',
    version: '1.3.0',
    path: '/flask-wtf',
    field: 'g-recaptcha-response',
    keys: ['RECAPTCHA_PUBLIC_KEY', 'RECAPTCHA_PRIVATE_KEY'],
    types: [
      'RECAPTCHA_SCRIPT = "https://VERIFY/recaptcha/api.js"',
      'RECAPTCHA_VERIFY_SERVER = "https://VERIFY/recaptcha/api/siteverify"',
    ],
  },
  {
    ...flask,
    name: 'flask-hcaptcha',
    version: '0.7.2',
    path: '/flask-hcaptcha',
    field: 'h-captcha-response',
    keys: ['HCAPTCHA_SITE_KEY', 'HCAPTCHA_SECRET_KEY'],
    types: [
      'hCaptcha.VERIFY_URL = "https://VERIFY/siteverify"',
      '<script src="https://VERIFY/1/api.js" async defer></script>',
    ],
  },
  {
    ...flask,
    name: 'Flask-Turnstile',
    version: '0.2.0',
    path: '/flask-turnstile',
    field: 'cf-turnstile-response',
    keys: ['TURNSTILE_SITE_KEY', 'TURNSTILE_SECRET_KEY'],
    types: [
      'Turnstile.VERIFY_URL = "https://VERIFY/turnstile/v0/siteverify"',
      '<script src="https://VERIFY/turnstile/v0/api.js" async defer></script>',
    ],
  },
  {
    ...python,
    program: 'synapse_site.py',
    name: 'matrix-synapse',
    version: '1.163.2',
    path: '/synapse',
    field: 'g-recaptcha-response',
    keys: ['recaptcha_public_key', 'recaptcha_private_key'],
    sendsItself: true,
    accepts: /Thank you/,
    types: [
      'enable_registration_captcha: true',
      'recaptcha_siteverify_api: https://VERIFY/recaptcha/api/siteverify',
      'nginx: sub_filter https://www.recaptcha.net https://VERIFY;',
    ],
  },
  {
    ...node,
    name: 'better-auth',
    version: '1.7.25',
    path: '/better-auth',
    field: 'cf-turnstile-response',
    keys: ['data-sitekey', 'secretKey'],
    types: [
      "captcha({ provider: 'cloudflare-turnstile', secretKey, siteVerifyURLOverride: 'https://VERIFY/turnstile/v0/siteverify' })",
      '<script src="https://VERIFY/turnstile/v0/api.js" async defer></script>',
    ],
  },
  {
    ...node,
    name: '@nestlab/google-recaptcha',
    version: '3.11.3',
    path: '/nestjs',
    field: 'g-recaptcha-response',
    keys: ['data-sitekey', 'secretKey'],
    types: [
      "GoogleRecaptchaModule.forRoot({ secretKey, network: 'https://VERIFY/recaptcha/api/siteverify', response })",
      '<script src="https://VERIFY/recaptcha/api.js" async defer></script>',
    ],
  },
  {
    ...node,
    name: '@better-captcha/core',
    version: '0.3.0',
    path: '/better-captcha-cap',
    field: 'cap-token',
    keys: ['sitekey', 'secret'],
    types: [
      "new CapWidgetProvider('https://VERIFY/SITEKEY/', { autoLoad: false })",
      '<script src="https://VERIFY/assets/compat.js?as=cap&v=1" defer></script>',
    ],
  },
  {
    ...node,
    name: '@better-captcha/core',
    version: '0.3.0',
    path: '/better-captcha-turnstile',
    field: 'cf-turnstile-response',
    keys: ['sitekey', 'secret'],
    types: [
      "new TurnstileProvider('SITEKEY', { autoLoad: false })",
      '<script src="https://VERIFY/turnstile/v0/api.js" defer></script>',
    ],
  },
  {
    name: 'code.gitea.io/gitea/modules/recaptcha',
    version: '1.26.0',
    language: 'Go',
    registry: 'Go module',
    program: 'gitea',
    path: '/gitea',
    field: 'g-recaptcha-response',
    keys: ['RECAPTCHA_SITEKEY', 'RECAPTCHA_SECRET'],
    ran,
    types: [
      'ENABLE_CAPTCHA = true',
      'CAPTCHA_TYPE = recaptcha',
      'RECAPTCHA_URL = https://VERIFY/recaptcha',
    ],
  },
  {
    name: 'php-google-recaptcha',
    version: '1.2.4',
    language: 'PHP',
    registry: 'Debian',
    program: 'php_site.php',
    path: '/google-recaptcha',
    field: 'g-recaptcha-response',
    keys: ['data-sitekey', '$secret'],
    ran,
    types: [
      "new ReCaptcha($secret, new RequestMethod\\Post('https://VERIFY/recaptcha/api/siteverify'))",
      '<script src="https://VERIFY/recaptcha/api.js" async defer></script>',
    ],
  },
]
