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
  /** What the operator types; VERIFY stands for the service's hostname. */
  readonly types: readonly string[]
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
    types: ['RECAPTCHA_DOMAIN = "VERIFY"'],
  },
  {
    ...django,
    name: 'django-hCaptcha',
    version: '0.2.0',
    path: '/django-hcaptcha',
    field: 'h-captcha-response',
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
    types: [
      'DRF_RECAPTCHA_DOMAIN = "VERIFY"',
      'ReCaptchaV3Field(action="sign-up", required_score=0)',
    ],
  },
  {
    ...flask,
    name: 'Flask-WTF',
    version: '1.3.0',
    path: '/flask-wtf',
    field: 'g-recaptcha-response',
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
    types: ['hCaptcha.VERIFY_URL = "https://VERIFY/siteverify"', 'the tag of the script by hand'],
  },
  {
    ...flask,
    name: 'Flask-Turnstile',
    version: '0.2.0',
    path: '/flask-turnstile',
    field: 'cf-turnstile-response',
    types: [
      'Turnstile.VERIFY_URL = "https://VERIFY/turnstile/v0/siteverify"',
      'the tag of the script by hand',
    ],
  },
  {
    ...python,
    program: 'synapse_site.py',
    name: 'matrix-synapse',
    version: '1.163.2',
    path: '/synapse',
    field: 'g-recaptcha-response',
    sendsItself: true,
    accepts: /Thank you/,
    types: [
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
    types: [
      "captcha({ provider: 'cloudflare-turnstile', siteVerifyURLOverride: 'https://VERIFY/turnstile/v0/siteverify' })",
    ],
  },
  {
    ...node,
    name: '@better-captcha/core',
    version: '0.3.0',
    path: '/better-captcha-cap',
    field: 'cap-token',
    types: [
      "new CapWidgetProvider('https://VERIFY/SITEKEY/', { autoLoad: false })",
      'compat.js?as=cap in the page',
    ],
  },
  {
    ...node,
    name: '@better-captcha/core',
    version: '0.3.0',
    path: '/better-captcha-turnstile',
    field: 'cf-turnstile-response',
    types: [
      "new TurnstileProvider('SITEKEY', { autoLoad: false })",
      'turnstile/v0/api.js of VERIFY in the page',
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
    ran,
    types: ['CAPTCHA_TYPE = recaptcha', 'RECAPTCHA_URL = https://VERIFY/recaptcha'],
  },
  {
    name: 'php-google-recaptcha',
    version: '1.2.4',
    language: 'PHP',
    registry: 'Debian',
    program: 'php_site.php',
    path: '/google-recaptcha',
    field: 'g-recaptcha-response',
    ran,
    types: [
      "new ReCaptcha($secret, new RequestMethod\\Post('https://VERIFY/recaptcha/api/siteverify'))",
      'the tag of the script by hand',
    ],
  },
]
