/** The Debian package: both programs, their units, a man page of every `--help`, and no Node.js. */
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { output, ROOT, run } from './run.mjs'

const HOME = 'usr/lib/human-verification'
const STATE = '/var/lib/human-verification'
const DOC = 'usr/share/doc/human-verification'
const GATE = `${HOME}/node_modules/@human-verification/gate`
const PROGRAMS = { hv: `${HOME}/dist/main.js`, 'hv-gate': `${GATE}/dist/main.js` }
const GATE_UNIT = 'hv-gate.service'
const ABOUT = {
  hv: 'a self\\-hosted human verification service',
  'hv-gate': 'protects whole sites with a human verification service',
}
const MAINTAINER = 'human-verification maintainers <human-verification@users.noreply.github.com>'

export function makeDeb({ out, stage, epoch, version, commit, server }) {
  const root = join(stage, 'deb')
  const files = filesIn(root)
  addPrograms(files, { stage, server })
  addUnits(files)
  addManPages(files, version, epoch)
  addDocuments(files, { version, commit, epoch, server })
  // It has the size of the files above.
  files.put('DEBIAN/control', controlOf(root, version, server))
  addMaintainerScripts(files)

  run('find', [root, '-exec', 'touch', '-h', '-d', `@${epoch}`, '{}', '+'])
  // With more threads xz cuts otherwise.
  run('dpkg-deb', ['--root-owner-group', '-Zxz', '--threads-max=1', '--build', root, out])
  run('lintian', [
    '--fail-on',
    'error',
    '--allow-root',
    join(out, `human-verification_${version}_all.deb`),
  ])
}

/** Writes the files of the package, by their paths in it. */
function filesIn(root) {
  const put = (path, content, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
    chmodSync(join(root, path), mode)
  }
  return {
    root,
    put,
    script: (path, body) => put(path, `#!/bin/sh\nset -e\n${body}\n`, 0o755),
    packed: (path, text) => put(path, gzipSync(text, { level: 9 })),
  }
}

/** Adds the programs, each behind a command that says so when there is no Node.js. */
function addPrograms({ root, script }, { stage, server }) {
  cpSync(join(stage, 'app'), join(root, HOME), { recursive: true, verbatimSymlinks: true })
  rmSync(join(root, HOME, 'LICENSE'))
  const needs = `human-verification needs Node.js ${server.engines.node}, and there is none on PATH`
  for (const [name, path] of Object.entries(PROGRAMS))
    script(
      `usr/bin/${name}`,
      `command -v node >/dev/null || { echo '${name}: ${needs}. Install Node.js 24: https://nodejs.org' >&2; exit 1; }
exec node /${path} "$@"`,
    )
}

function addUnits({ root, put }) {
  put('lib/systemd/system/human-verification@.service', serviceUnit())
  put('lib/systemd/system/hv-gate.service', gateUnit())
  cpSync(join(ROOT, 'deploy/gate'), join(root, DOC, 'examples/gate'), {
    recursive: true,
    filter: (from) => !from.endsWith(GATE_UNIT),
  })
}

function addManPages({ root, packed }, version, epoch) {
  for (const [name, path] of Object.entries(PROGRAMS))
    packed(`usr/share/man/man1/${name}.1.gz`, manPage(name, join(root, path), version, epoch))
}

/** Adds the change log and the licence that Debian requires. */
function addDocuments({ put, packed }, { version, commit, epoch, server }) {
  const date = output('date', ['--rfc-email', '--date', `@${epoch}`])
  const entry = `human-verification (${version}) stable; urgency=medium\n\n  * Commit ${commit}.\n\n -- ${MAINTAINER}  ${date}\n`
  packed(`${DOC}/changelog.gz`, entry)
  put(
    `${DOC}/copyright`,
    `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Source: ${server.homepage}

Files: *
Copyright: the human-verification authors
License: ${server.license}
 The text is in /usr/share/common-licenses/Apache-2.0. Each package in
 node_modules has its own licence beside it; sbom.cdx.json lists them all.
`,
  )
}

const controlOf = (root, version, server) => `Package: human-verification
Version: ${version}
Architecture: all
Section: web
Priority: optional
Maintainer: ${MAINTAINER}
Installed-Size: ${output('du', ['-sk', '--apparent-size', root]).split('\t')[0]}
Recommends: nodejs (>= 20.19), redis-server
Homepage: ${server.homepage}
Description: self-hosted human verification for web forms
 A widget, proof of work, a score, and tokens that are accepted at most
 once; hv is its command. hv-gate protects a whole site behind a proxy.
 Both need Node.js ${server.engines.node}, which may come from anywhere,
 so the package of it is only recommended.
`

/** Adds what dpkg runs after the installation, before the removal and after it. */
function addMaintainerScripts({ script }) {
  // The first installation makes a key: systemd gives folder and file to the unit's user at its first start. apt's PATH lacks
  // /usr/local/bin, where nodejs.org's archive puts Node.js. The package is installed even if no key can be made.
  script(
    'DEBIAN/postinst',
    `[ "$1" = configure ] || exit 0
PATH=/usr/local/bin:$PATH
keygen="hv keygen --keyring ${STATE}/keyring.json"
if [ ! -e ${STATE}/keyring.json ] && ! $keygen >/dev/null; then
  echo "human-verification: no keyring was made; when Node.js is there, run as root: $keygen"
fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi`,
  )
  const systemd = '[ "$1" = remove ] && [ -d /run/systemd/system ]'
  script(
    'DEBIAN/prerm',
    `if ${systemd}; then systemctl stop 'human-verification@*.service' 'hv-gate*.service'; fi`,
  )
  script(
    'DEBIAN/postrm',
    `if [ "$1" = purge ]; then
  rm -rf ${STATE} /var/lib/private/human-verification /var/lib/hv-gate /var/lib/private/hv-gate
fi`,
  )
}

/** The unit of the service. Node.js is wherever it is on PATH; `hv check`, which runs first, says in one sentence when it is nowhere. */
const serviceUnit = () =>
  withoutHead(readFileSync(join(ROOT, 'deploy/systemd/human-verification@.service'), 'utf8'))
    .replace('/usr/bin/node /opt/human-verification/dist/main.js check', '/usr/bin/hv check')
    .replace('/usr/bin/node ', '/usr/bin/env node ')
    .replaceAll('/opt/human-verification', `/${HOME}`)

/** The unit of the gate. `hv-gate` of this package is a script of the shell, which takes no flags of Node.js. */
const gateUnit = () =>
  withoutHead(readFileSync(join(ROOT, 'deploy/gate', GATE_UNIT), 'utf8')).replace(
    /^ExecStart=\/bin\/sh -c 'exec node (.+) "\$\$\(command -v hv-gate\)" serve'$/m,
    `ExecStartPre=/usr/bin/hv-gate check\nExecStart=/usr/bin/env node $1 /${GATE}/dist/main.js serve`,
  )
const withoutHead = (unit) => unit.replace(/^(# .*\n)+/, '')

/** What `--help` prints, of a program and of each of its commands. */
function manPage(name, program, version, epoch) {
  const parts = []
  const add = (path) => {
    const text = output(process.execPath, [program, ...path, '--help'], { env: { COLUMNS: '80' } })
    const literal = text
      .replaceAll('\\', '\\e')
      .replaceAll('-', '\\-')
      .replaceAll(/^(['.])/gm, '\\&$1')
    parts.push(`.SS ${[name, ...path].join(' ')}\n.nf\n${literal}\n.fi\n`)
    const [, commands = ''] = text.split(/^Commands:$/m)
    for (const [, command] of commands.matchAll(/^ {2}([a-z][\w-]*)/gm))
      if (command !== 'help') add([...path, command])
  }
  add([])
  const date = new Date(epoch * 1000).toISOString().slice(0, 10)
  const title = name.replaceAll('-', '\\-')
  return `.TH ${title.toUpperCase()} 1 ${date} "human\\-verification ${version}"\n.SH NAME\n${title} \\- ${ABOUT[name]}\n.SH COMMANDS\n${parts.join('')}`
}
