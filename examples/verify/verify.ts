// Verifies a response token by every rule of the specification, with the package's own client. Protocol: README.md.
import { text } from 'node:stream/consumers'
import { verify } from '@human-verification/client'

const { HV_URL, HV_SECRET, HV_ACTION, HV_HOSTNAMES, HV_THRESHOLD, HV_REMOTEIP, HV_TIMEOUT } = process.env

async function verdict(): Promise<string> {
  const [first, ...more] = (HV_HOSTNAMES ?? '').split(',').filter(Boolean)
  if (HV_ACTION === undefined || first === undefined) return 'options'
  const visitor = await verify({
    url: HV_URL,
    secret: HV_SECRET,
    response: await text(process.stdin),
    action: HV_ACTION,
    hostnames: [first, ...more],
    threshold: Number(HV_THRESHOLD || '0'),
    timeout: Number(HV_TIMEOUT || '3') * 1000,
    remoteip: HV_REMOTEIP || undefined,
  })
  return visitor.accepted ? 'accepted' : visitor.rule
}

const said = await verdict()
console.log(said)
process.exitCode = said === 'accepted' ? 0 : 1
