/**
 * The tiers of tests. A tier is a folder; `npm test -- TIER` runs one.
 *
 * @typedef {object} Tier
 * @property {readonly string[]} [paths] Regular expressions for files that run side by side.
 * @property {readonly string[]} [pairs] For files that run two at a time: one waits for a browser while the other computes.
 * @property {readonly string[]} [alone] For files that run one at a time: processes, proxies and browsers share the machine.
 * @property {string} [config] Its own jest configuration, which names the folder.
 * @property {readonly import('./support/programs.mjs').ProgramName[]} needs Programs beside Node.js.
 */

const SERVERS = /** @type {const} */ (['redis', 'haproxy', 'nginx', 'cc', 'openssl', 'ip'])
const SAMPLES = /** @type {const} */ ([
  'caddy',
  'traefik',
  'envoy',
  'promtool',
  'systemdAnalyze',
  'helm',
  'kubectl',
  'kubeconform',
  'kubernetesSchemas',
  'crds',
])
/** What stands behind a gate. */
const READERS = /** @type {const} */ (['php', 'python', 'hypercorn'])

const KEYCLOAK = /** @type {const} */ (['zip', 'jdk', 'maven', 'keycloak'])

/** What is between a browser and the ear. */
const SPEECH = /** @type {const} */ (['xvfb', 'openbox', 'dbus', 'speechDispatcher', 'orca'])
/** @type {Tier} */
const HEARD = {
  alone: ['^test/heard/'],
  needs: ['redis', 'nginx', 'chromium', 'firefox', ...SPEECH],
}

/**
 * The suites by promise: `npm test -- ledger`. Each is a part of the tiers below, so `all` runs them too, but for the fault book of the ledger, which
 * is the tier `faults`, what `a11y` hears, which is the tier `heard`, and the examples and third-party libraries of `install`, which are separate tiers.
 *
 * @type {Readonly<Record<string, Tier>>}
 */
const SUITES = {
  contract: { paths: ['^test/whole/(contract|http|rules)/'], needs: [] },
  'fail-closed': { paths: ['^test/whole/fail-closed/'], needs: [] },
  ledger: {
    paths: ['^test/(rooms|world)/store/', '^test/world/(concurrency|contract|history)/'],
    needs: SERVERS,
  },
  score: { paths: ['^test/rooms/(score|work|proof)/'], needs: [] },
  widget: {
    pairs: ['^test/browser/'],
    needs: ['redis', 'chromium', 'firefox', 'webkit', 'webkitApp', 'xvfb'],
  },
  a11y: {
    pairs: ['^test/browser/a11y/'],
    alone: HEARD.alone,
    needs: HEARD.needs,
  },
  install: {
    paths: ['^test/world/(cli|deploy|doctor|http)/'],
    alone: ['^test/world/instances/'],
    needs: [...SERVERS, ...SAMPLES],
  },
}

/** @type {Readonly<Record<string, Tier>>} */
export const TIERS = {
  ...SUITES,
  house: { paths: ['^test/house'], needs: [] },
  rooms: { paths: ['^test/rooms/'], needs: [] },
  whole: { paths: ['^test/whole/', '^packages/(client|gate)/test/'], needs: [] },
  world: {
    paths: ['^test/world/(?!instances/)'],
    alone: ['^test/world/instances/'],
    needs: [...SERVERS, ...SAMPLES, ...READERS],
  },
  browser: {
    // The tokens of this one live for three seconds, and are renewed within one.
    pairs: ['^test/browser/(?!life\\.)'],
    alone: ['^test/browser/life\\.'],
    needs: ['redis', 'chromium', 'firefox', 'webkit', 'webkitApp', 'xvfb'],
  },
  heard: HEARD,
  published: { paths: ['^test/published/'], needs: ['redis'] },
  examples: {
    alone: [''],
    config: 'test/published/examples/jest.config.json',
    needs: ['redis', 'chromium'],
  },
  packages: { paths: ['^test/release/packages'], needs: ['zip'] },
  release: {
    alone: ['^test/release/'],
    needs: ['redis', 'haproxy', 'buildah', 'skopeo', 'mmdebstrap', 'lintian', ...KEYCLOAK],
  },
  wordpress: {
    alone: [''],
    config: 'test/wordpress/jest.config.json',
    needs: [
      'chromium',
      'openssl',
      'php',
      'phpMysql',
      'phpXml',
      'wordpress',
      'wordpressTheme',
      'mariadb',
      'zip',
    ],
  },
  'drop-in': {
    alone: [''],
    config: 'test/published/drop-in/jest.config.json',
    needs: ['redis', 'chromium', 'firefox', 'haproxy', 'nginx', 'caddy'],
  },
  products: {
    alone: [''],
    config: 'test/products/jest.config.json',
    needs: ['chromium', 'openssl', 'nginx', 'python', 'php', 'phpRecaptcha', 'go'],
  },
  keycloak: {
    alone: [''],
    config: 'test/keycloak/jest.config.json',
    needs: ['chromium', ...KEYCLOAK],
  },
  faults: {
    alone: [''],
    config: 'test/world/faults/jest.config.json',
    needs: ['redis', 'haproxy', 'cc', 'ip'],
  },
  long: { alone: [''], config: 'test/world/long/jest.config.json', needs: ['redis'] },
  fuzz: { alone: [''], config: 'test/fuzz/jest.config.json', needs: [] },
}

/** What `npm test -- all` runs, beside `house`. */
export const ALL = ['house', 'rooms', 'whole', 'world', 'browser', 'published']

/**
 * The part of world and browser that `npm test` runs: one file for each promise that only a real Redis, proxy, process
 * or browser can break. The other files run in `npm test -- all`.
 *
 * @type {Readonly<Record<'world' | 'browser', Readonly<Record<string, string>>>>}
 */
export const CORE = {
  world: {
    'store/ledger-contract': 'the contract of the ledger, on a real Redis',
    'store/lost-entries': 'single use survives a Redis that lost its memory',
    'store/redis': 'a Redis that hangs or closes fails closed, in time',
    'store/limits': 'limits hold over several instances',
    'history/history': 'counts agree between Redis and the process',
    'concurrency/one-challenge': 'one challenge gives one token, whoever else asks',
    'contract/idempotency': 'a repeat with an idempotency key gives the same answer',
    'http/smuggling': 'haproxy, nginx and a careless proxy forward no hidden request',
    'cli/programs': 'every command starts, and ends with its exit code',
    'instances/two-instances': 'two processes accept a token once',
    'instances/drain': 'SIGTERM answers pending requests before the end',
  },
  browser: {
    chromium: 'the widget turns a visit into a token in Chromium',
    firefox: 'and in Firefox',
    webkit: 'and in WebKit',
    widget: 'submits, also while the service is busy or away',
    signals: 'the browser sends the signals that rules read',
  },
}

/**
 * Files that wait for the clock, 5 to 35 seconds in all: what they test are time limits. They start first, and the third
 * worker (package.json, "jest") keeps two processors busy meanwhile. `npm test -- --slowest` finds candidates.
 */
export const WAITS = [
  'test/whole/http/slow-clients',
  'packages/client/test/cases',
  'packages/client/test/verify',
]

/** `npm run t` leaves these out: they wait for the clock, or measure. */
export const SLOW = [
  ...WAITS,
  'test/whole/fail-closed/',
  'test/whole/http/overload',
  'test/whole/http/refused-cost',
  'test/rooms/evaluate/',
  'test/rooms/settings/hostile-file',
]
