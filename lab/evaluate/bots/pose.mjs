/** Other agents than the browser's own, client hints included, as stealth guides advise. */

const brands = (version) => [
  { brand: 'Chromium', version },
  { brand: 'Google Chrome', version },
  { brand: 'Not/A)Brand', version: '24' },
]

/** Poses by the system of the agent string, the platform of the navigator and the name in the client hints. */
export async function pose(send, { system, platform, name, mobile = false }) {
  const { product } = await send('Browser.getVersion', {})
  const [major] = product.split('/')[1].split('.')
  await send('Emulation.setUserAgentOverride', {
    userAgent: `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 ${mobile ? 'Mobile ' : ''}Safari/537.36`,
    acceptLanguage: 'en-GB,en',
    platform,
    userAgentMetadata: {
      brands: brands(major),
      fullVersionList: brands(`${major}.0.0.0`),
      platform: name,
      platformVersion: mobile ? '16.0.0' : '15.0.0',
      architecture: mobile ? '' : 'x86',
      model: mobile ? 'Pixel 9' : '',
      mobile,
    },
  })
}

export const WINDOWS = { system: 'Windows NT 10.0; Win64; x64', platform: 'Win32', name: 'Windows' }
export const PHONE = { system: 'Linux; Android 10; K', platform: 'Linux armv81', name: 'Android', mobile: true }
