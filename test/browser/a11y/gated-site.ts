import { loadAssets } from '../../../src/http/assets.ts'
import { site, testService } from '../../support/app.ts'
import { gateFiles, PROXIES, startGate, startSite } from '../../support/gate.ts'

/** Starts a site behind a gate that asks for a press. @returns an address of it */
export async function startGatedSite(scoreThreshold = 0): Promise<string> {
  const service = await testService({
    siteList: [site({ hostnames: ['127.0.0.1'], scoreThreshold })],
    assets: loadAssets('dist/assets'),
  })
  const rules = [{ name: 'costly', when: { path: ['/search*'] }, effect: 'level 2' }]
  const gate = await startGate(gateFiles(service.base, { rules, contact: 'help@example.com' }))
  const app = await startSite()
  return `${(await PROXIES.nginx(gate.host, app.host)).url}/search`
}
