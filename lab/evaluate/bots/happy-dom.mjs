import { Browser } from 'happy-dom'
import { fillInside } from './fill-inside.mjs'

/** A page in happy-dom, and the form filled in by its script. */
const [url, who] = [process.argv[2], JSON.parse(process.argv[3])]
const browser = new Browser({
  console,
  settings: {
    enableJavaScriptEvaluation: true,
    suppressInsecureJavaScriptEnvironmentWarning: true,
    fetch: { disableSameOriginPolicy: true },
    handleDisabledFileLoadingAsSuccess: true,
  },
})
const page = browser.newPage()
await page.goto(url)
// Not `waitUntilComplete`: with a module that cannot be had, it never comes back.
await new Promise((resolve) => setTimeout(resolve, 1500))
fillInside(page.mainFrame.window, { url, who, patience: 12_000 })
