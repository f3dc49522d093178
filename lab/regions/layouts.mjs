import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { POLICY } from '../bench/harness/our-visit.mjs'
import { startLink } from '../stand/link.mjs'
import { ROOT } from '../stand/machine.mjs'
import { until } from '../stand/processes.mjs'
import { startRedis } from '../stand/redis.mjs'
import { startService } from '../stand/service.mjs'
import { startEntrance } from './entrance.mjs'

export const REGIONS = ['west', 'east']
const otherOf = (region) => (region === 'west' ? 'east' : 'west')
const RATE = '100000000 per 1m'
/** Limits out of the way; they are counted all the same. */
const LIMITS = { challenge: RATE, solve: RATE, siteverify: RATE, junk: RATE }
/** Starts a service whose ledger is a plain SET NX: test/world/faults/control. */
const SET_NX = ['--import', join(ROOT, 'test/world/faults/control/use.js?naive')]
const portOf = ({ url }) => Number(new URL(url).port)

/** A site, and the settings by which services know it. @param {string} home the region of its ledger */
function siteOf(home) {
  const sitekey = `hv_site_home_${home}`
  const secret = `hv_secret_${randomBytes(32).toString('base64url')}`
  const sha256 = createHash('sha256').update(secret).digest('hex')
  return { home, sitekey, secret, policy: { ...POLICY, sitekey, secrets: [{ sha256 }] } }
}

const service = (redisUrl, site, more = {}) =>
  startService({ redisUrl, policy: site.policy, settings: { limits: LIMITS }, ...more })
const urlOf = (link) => `redis://127.0.0.1:${link.port}/0`

/** Both regions of a layout, and how they end. @param {(() => unknown)[]} stops in turn */
function world({ entrances, sites, links, stops, promote }) {
  return {
    entrances,
    sites,
    links,
    promote,
    async stop() {
      for (const stop of stops) await stop()
    },
  }
}

/** Each region is its own: sites, keyring, ledger. An entrance asks the home of the site. */
async function homeBySite({ roundTripMs }) {
  const sites = REGIONS.map(siteOf)
  const stops = []
  const links = {}
  const services = {}
  for (const site of sites) {
    const redis = await startRedis()
    services[site.home] = await service(redis.url, site)
    links[site.home] = await startLink(portOf(services[site.home]), roundTripMs)
    stops.unshift(links[site.home].stop, services[site.home].stop, redis.stop)
  }
  const entrances = await entrancesOf(
    (region) => (sitekey) => {
      const home = sites.find((site) => site.sitekey === sitekey)?.home ?? region
      return home === region ? portOf(services[home]) : links[home].port
    },
    stops,
  )
  return world({ entrances, sites, links: Object.values(links), stops })
}

/** One ledger in the west, and a service in each region. */
async function oneLedger({ roundTripMs }) {
  const site = siteOf('west')
  const redis = await startRedis()
  const link = await startLink(portOf(redis), roundTripMs)
  const west = await service(redis.url, site)
  const east = await service(urlOf(link), site, { keys: readFileSync(west.keyring, 'utf8') })
  const entrances = { west: west.url, east: east.url }
  const stops = [west.stop, east.stop, link.stop, redis.stop]
  return world({ entrances, sites: [site], links: [link], stops })
}

/** A ledger in each region for one site and one keyring: what must not be done. @param {string[]} nodeArgs of the service */
async function twoLedgers(_how, nodeArgs = []) {
  const site = siteOf('west')
  const stores = [await startRedis(), await startRedis()]
  const west = await service(stores[0].url, site, { nodeArgs })
  const keys = readFileSync(west.keyring, 'utf8')
  const east = await service(stores[1].url, site, { nodeArgs, keys })
  const entrances = { west: west.url, east: east.url }
  const stops = [west.stop, east.stop, ...stores.map((store) => store.stop)]
  return world({ entrances, sites: [site], links: [], stops })
}

/** The ledger of the west has a replica in the east, which is promoted while the link is down and the west still serves. */
async function promoted({ roundTripMs }, nodeArgs = []) {
  const site = siteOf('west')
  const [primary, replica] = [await startRedis(), await startRedis()]
  const link = await startLink(portOf(primary), roundTripMs)
  await replica.client.replicaof('127.0.0.1', link.port)
  const isIn = async () => (await replica.client.info('replication')).includes('link_status:up')
  await until(isIn, 'the replica', 20_000)
  const west = await service(primary.url, site, { nodeArgs })
  const keys = readFileSync(west.keyring, 'utf8')
  const east = await service(replica.url, site, { nodeArgs, keys })
  const entrances = { west: west.url, east: east.url }
  const stops = [west.stop, east.stop, link.stop, replica.stop, primary.stop]
  const promote = () => replica.client.replicaof('NO', 'ONE')
  return world({ entrances, sites: [site], links: [link], stops, promote })
}

/** Starts a router in each region. @param {(region: string) => Parameters<typeof startEntrance>[0]} portIn */
async function entrancesOf(portIn, stops) {
  const entrances = {}
  for (const region of REGIONS) {
    const entrance = await startEntrance(portIn(region))
    entrances[region] = entrance.url
    stops.unshift(entrance.stop)
  }
  return entrances
}

/**
 * `isFar`: who waits for the other region; where it is missing, times say nothing. `isControl`: a ledger that must accept twice here, or
 * the load sees nothing.
 */
export const LAYOUTS = [
  {
    name: 'a home region for each site',
    start: homeBySite,
    isFar: ({ region, site }) => region === otherOf(site.home),
  },
  { name: 'one ledger', start: oneLedger, isFar: ({ region }) => region === 'east' },
  { name: 'a ledger in each region', start: twoLedgers },
  { name: 'a replica, promoted', start: promoted },
  {
    name: 'a ledger in each region, SET NX',
    start: (how) => twoLedgers(how, SET_NX),
    isControl: true,
  },
  {
    name: 'a replica, promoted, SET NX',
    start: (how) => promoted(how, SET_NX),
    isControl: true,
  },
]
