/**
 * Service `keys` of docker-compose.yml: makes the signing keys and the passwords of Redis once, and writes the rights of
 * Redis' users at every start. None of it is in the repository, in the environment or in `docker inspect`.
 *
 * On the volume `keys`, for the service:  keyring.json, redis-password; for the gate:  gate-key.json, gate-secret
 * On the volume `redis`, for Redis and the Sentinels:  users.acl (hashes), redis.conf and sentinel.conf (passwords)
 *
 * New passwords: docs/operate/operations.md, "New passwords of Redis".
 */
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const { HV_KEYS = '/keys', HV_REDIS = '/redis' } = process.env

/** As in src/demo/credentials.ts. */
const DEMO_SECRET = 'hv_secret_demo_vke3pF6jgFUNwiJDlZ0oQoLgYoq_lj3obRpreV0sW6M'

/** Rights of the service at Redis: docs/operate/redis.md, "One server". */
const SERVICE =
  'resetchannels ~{hv}:* -@all +evalsha +eval +info +time +hmget +hset +hsetnx +hincrby +hlen +hkeys +hdel +unlink +pexpire +set +incrby +pttl +expire +del +ping +hello +auth'
/** Rights of the service at the Sentinels: the same page, "Sentinel". */
const SERVICE_AT_SENTINELS =
  'resetchannels -@all +auth +hello +ping +info +sentinel|get-master-addr-by-name +sentinel|sentinels'
/** https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/, "ACL rules for Sentinel and Replicas". */
const REPLICA = 'resetchannels -@all +psync +replconf +ping'
const SENTINEL =
  'resetkeys allchannels -@all +multi +slaveof +ping +exec +subscribe +config|rewrite +role +publish +info +client|setname +client|kill +script|kill'
/** For the health check of docker-compose.yml, which needs no password. */
const HEALTH = 'on nopass resetchannels -@all +ping'

/** Writes a file beside its place first, so that half of it is never read. */
const write = (path, text, mode) => {
  writeFileSync(`${path}.new`, text, { mode })
  renameSync(`${path}.new`, path)
}
/** Returns the password in a file, which is made once. */
const password = (path) => {
  if (!existsSync(path)) write(path, `${randomBytes(32).toString('base64url')}\n`, 0o600)
  return readFileSync(path, 'utf8').trim()
}
const hash = (text) => `#${createHash('sha256').update(text).digest('hex')}`

const keyring = join(HV_KEYS, 'keyring.json')
if (!existsSync(keyring))
  execFileSync(process.execPath, ['dist/main.js', 'keygen', '--keyring', keyring])

// For the profile `gate`. Its site is the demonstration's, whose secret is published and refused for any hostname but this
// machine's own; the file stays when you write another secret into it.
const gateKey = join(HV_KEYS, 'gate-key.json')
if (!existsSync(gateKey))
  execFileSync(process.execPath, [
    'node_modules/@human-verification/gate/dist/main.js',
    'keygen',
    gateKey,
  ])
const gateSecret = join(HV_KEYS, 'gate-secret')
if (!existsSync(gateSecret)) write(gateSecret, `${DEMO_SECRET}\n`, 0o600)

const service = password(join(HV_KEYS, 'redis-password'))
const replica = password(join(HV_KEYS, 'replica-password'))
const sentinel = password(join(HV_KEYS, 'sentinel-password'))

// Another user reads these, on a volume that only Redis and the Sentinels mount.
write(
  join(HV_REDIS, 'users.acl'),
  `user default off
user hv on ${hash(service)} ${SERVICE}
user replica on ${hash(replica)} ${REPLICA}
user sentinel on ${hash(sentinel)} ${SENTINEL}
user health ${HEALTH}
`,
  0o644,
)
write(
  join(HV_REDIS, 'redis.conf'),
  `aclfile ${join(HV_REDIS, 'users.acl')}
masteruser replica
masterauth ${replica}
`,
  0o644,
)
write(
  join(HV_REDIS, 'sentinel.conf'),
  `sentinel auth-user hv sentinel
sentinel auth-pass hv ${sentinel}
sentinel sentinel-user peer
sentinel sentinel-pass ${sentinel}
user default off
user peer on ${hash(sentinel)} allchannels +@all
user hv on ${hash(service)} ${SERVICE_AT_SENTINELS}
user health ${HEALTH}
`,
  0o644,
)
