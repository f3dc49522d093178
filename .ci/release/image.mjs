/**
 * The image, with the layout of the Dockerfile's: Debian's libraries by mmdebstrap, Node.js from npm, and the program, in one
 * layer. No base from a registry, and nothing of it runs here: the one for arm64 differs in libraries and Node.js alone.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agree, output, ROOT, run, sameBytes } from './run.mjs'

const NODE_VERSION = '24.21.0'
const NODE = {
  amd64:
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  arm64:
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
}

export function makeImages(context) {
  for (const arch of Object.keys(NODE)) makeImage(arch, context)
}

function makeImage(arch, { out, stage, epoch, version, commit, server }) {
  makeLayer(arch, stage)
  const labels = labelsOf({ version, commit, server, epoch })
  const layout = buildLayout(arch, { stage, epoch, version, labels })
  const file = join(out, `human-verification-${version}-${arch}.oci.tar`)
  run('tar', [...sameBytes(epoch), '-cf', file, '-C', layout, '.'])
  const { config } = JSON.parse(output('skopeo', ['inspect', '--config', `oci-archive:${file}`]))
  const label = config.Labels['org.opencontainers.image.version']
  agree(label === version, `the image has the label ${label}, package.json has ${version}`)
}

/** Makes the one layer: what Node.js links to, a small shell for the commands of docs/operate/operations.md, the user, and the program. */
function makeLayer(arch, stage) {
  // For scanners, status.d says which packages of Debian there are.
  const hook = `set -e; cd "$1"; rm -rf usr/share/g?? usr/share/initramfs-tools usr/lib/*/gconv; : >etc/hostname; : >etc/resolv.conf
    mkdir -p var/lib/dpkg/status.d
    for deb in var/cache/apt/archives/*.deb; do dpkg-deb --field $deb >var/lib/dpkg/status.d/$(dpkg-deb --field $deb Package); done
    printf 'root:x:0:0:root:/:/bin/sh\nnode:x:1000:1000::/:/bin/sh\n' >etc/passwd; printf 'root:x:0:\nnode:x:1000:\n' >etc/group
    for name in sh cat chmod chown id ls mkdir rm; do ln -s busybox bin/$name; done
    mkdir -m 0700 keys; mkdir redis etc/hv etc/hv-gate; chown 1000:1000 keys redis
    install -D ${nodeOf(arch, stage)} usr/local/bin/node; cp -a ${stage}/app app; install -m 644 ${ROOT}/deploy/image/start.sh app`
  const how = [
    '--variant=extract',
    '--include=libstdc++6,busybox-static',
    '--skip=output/dev',
    '--quiet',
  ]
  const target = ['bookworm', join(stage, layerOf(arch))]
  run('mmdebstrap', [...how, `--architectures=${arch}`, `--extract-hook=${hook}`, ...target])
}

const layerOf = (arch) => `${arch}.tar`

/** Builds the image of the layer. @returns its OCI layout, a folder */
function buildLayout(arch, { stage, epoch, version, labels }) {
  writeFileSync(join(stage, 'Containerfile'), recipeOf(arch))
  const labelled = Object.entries(labels).flatMap(([name, value]) => [
    '--label',
    `${name}=${value}`,
  ])
  const places = ['--root', join(stage, 'containers'), '--runroot', join(stage, 'run')]
  const store = [...places, '--storage-driver', 'vfs']
  const buildah = (...args) => output('buildah', [...store, ...args], { cwd: stage })
  const format = ['--format', 'docker', '--platform', `linux/${arch}`]
  const built = [...format, '--timestamp', String(epoch), '--isolation', 'chroot']
  const named = ['--identity-label=false', ...labelled, '--tag', arch]
  buildah('build', ...built, ...named, '--file', 'Containerfile', '.')
  const { Healthcheck } = JSON.parse(buildah('inspect', '--type', 'image', arch)).Docker.config
  const layout = join(stage, `oci-${arch}`)
  buildah('push', '--format', 'oci', arch, `oci:${layout}:${version}`)
  complete(layout, { Healthcheck }, labels)
  return layout
}

/** The last stage of the Dockerfile says how the program starts. */
function recipeOf(arch) {
  const [, last] = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split(/^FROM (?!.* AS )/m)
  const settings = /^(ENV|WORKDIR|USER|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD) .*$/gm
  const started = last.replaceAll(/\\\n/g, '').match(settings)
  return ['FROM scratch', `ADD ${layerOf(arch)} /`, ...started].join('\n')
}

/** Unpacks Node.js of npm's package. @throws {Error} when its hash is another than ours. */
function nodeOf(arch, stage) {
  const name = `node-linux-${arch === 'amd64' ? 'x64' : arch}`
  const [packed] = JSON.parse(
    output('npm', ['pack', `${name}@${NODE_VERSION}`, '--json'], { cwd: stage }),
  )
  agree(
    packed.integrity === NODE[arch],
    `${name} ${NODE_VERSION} has another hash than .ci/release/image.mjs`,
  )
  mkdirSync(join(stage, name))
  run('tar', ['-xzf', packed.filename, '-C', name, 'package/bin/node'], { cwd: stage })
  return join(stage, name, 'package/bin/node')
}

function labelsOf({ version, commit, server, epoch }) {
  const about = {
    title: 'human-verification',
    description: server.description,
    licenses: server.license,
  }
  const source = server.repository.url.replaceAll(/^git\+|\.git$/g, '')
  const made = { source, version, revision: commit, created: new Date(epoch * 1000).toISOString() }
  const named = Object.entries({ ...about, ...made })
  return Object.fromEntries(
    named.map(([name, value]) => [`org.opencontainers.image.${name}`, value]),
  )
}

/** Adds to an OCI layout what buildah leaves out of this format: the health check, as Docker writes and reads it, and annotations. */
function complete(layout, more, annotations) {
  const blob = (digest) => join(layout, 'blobs', digest.replace(':', '/'))
  const replace = (descriptor, change) => {
    const text = JSON.stringify(change(JSON.parse(readFileSync(blob(descriptor.digest), 'utf8'))))
    rmSync(blob(descriptor.digest))
    descriptor.digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
    descriptor.size = Buffer.byteLength(text)
    writeFileSync(blob(descriptor.digest), text)
  }
  const file = join(layout, 'index.json')
  const index = JSON.parse(readFileSync(file, 'utf8'))
  replace(index.manifests[0], (manifest) => {
    replace(manifest.config, (image) => ({ ...image, config: { ...image.config, ...more } }))
    return { ...manifest, annotations }
  })
  writeFileSync(file, JSON.stringify(index))
}
