/** Signals as the widget of a person with mouse and keys sends them. */
export const PERSON = JSON.stringify({
  v: 1,
  automation: { webdriver: 0, headless: 0, artefacts: 0, altered: 0, console: 0 },
  input: { trusted: 120, moves: 80, coalesced: 61, presses: 3, keys: 30, keyHold: 85 },
  page: { visible: 1, focused: 1, firstTouch: 2300, filling: 9100 },
  environment: { languages: 2, cores: 8, touchPoints: 0, platformAgrees: 1, workerAgrees: 1, windowed: 1 },
  work: { ms: 240, workers: 4 },
})

/** Headers of their browser, beside the origin. */
export const PERSONS_HEADERS = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  'Accept-Language': 'en-US,en;q=0.9',
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
}
