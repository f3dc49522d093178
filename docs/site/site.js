/* Search, theme, contents and tabs of the documentation site. A plain script: it runs from a folder, without a server. */
;(() => {
  const up = document.currentScript.dataset.root
  const page = document.documentElement
  try {
    const theme = localStorage.getItem('theme')
    if (theme) page.dataset.theme = theme
  } catch {
    // A folder may have no storage: the system's theme then.
  }

  addEventListener('DOMContentLoaded', () => {
    const query = document.getElementById('query')
    const results = document.getElementById('results')
    const menu = document.getElementById('menu')
    const contents = document.getElementById('contents')

    menu.addEventListener('click', () => {
      menu.setAttribute('aria-expanded', String(contents.classList.toggle('open')))
    })
    document.getElementById('theme').addEventListener('click', () => {
      const isDark = page.dataset.theme
        ? page.dataset.theme === 'dark'
        : matchMedia('(prefers-color-scheme: dark)').matches
      page.dataset.theme = isDark ? 'light' : 'dark'
      try {
        localStorage.setItem('theme', page.dataset.theme)
      } catch {
        // Then it holds for this page.
      }
    })

    let loading
    const load = () =>
      (loading ??= new Promise((done) => {
        const script = document.createElement('script')
        script.src = `${up}/search.js`
        script.onload = done
        document.head.append(script)
      }))
    query.addEventListener('focus', load)
    query.addEventListener('input', () => load().then(show))

    /** Every word has to be in the section; words of its heading count most. */
    function show() {
      const words = query.value.toLowerCase().split(/\s+/).filter(Boolean)
      results.replaceChildren()
      results.hidden = words.length === 0
      if (results.hidden) return
      const found = window.SEARCH.flatMap((entry) => {
        const [, , title, heading, text] = entry.map((each) => each.toLowerCase())
        let points = 0
        for (const word of words) {
          const at = heading.includes(word) ? 6 : title.includes(word) ? 4 : text.includes(word) ? 1 : 0
          if (at === 0) return []
          points += at
        }
        return [{ entry, points }]
      }).toSorted((one, other) => other.points - one.points)
      for (const { entry } of found.slice(0, 12)) results.append(row(entry, words[0]))
      if (found.length === 0) {
        const none = document.createElement('li')
        none.textContent = 'Nothing found.'
        results.append(none)
      }
    }

    function row([file, anchor, title, heading, text], word) {
      const item = document.createElement('li')
      const link = document.createElement('a')
      link.href = `${up}/${file}#${anchor}`
      const at = Math.max(0, text.toLowerCase().indexOf(word) - 30)
      const says = document.createElement('small')
      says.textContent = text.slice(at, at + 110)
      link.append(heading === title ? title : `${title}: ${heading}`, says)
      item.append(link)
      return item
    }

    addEventListener('keydown', (event) => {
      const isTyping = /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')
      if (event.key === '/' && !isTyping) {
        event.preventDefault()
        query.focus()
      }
      if (event.key === 'Escape' && !results.hidden) {
        results.hidden = true
        query.focus()
      }
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
      const stops = [query, ...results.querySelectorAll('a')]
      const at = stops.indexOf(document.activeElement)
      const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)]
      if (at < 0 || results.hidden || !next) return
      event.preventDefault()
      next.focus()
    })
    results.addEventListener('click', () => {
      results.hidden = true
    })

    const live = document.getElementById('live')
    live?.addEventListener('submit', (event) => {
      event.preventDefault()
      const said = document.querySelector('.live output')
      const base = new URL('./', new FormData(live).get('service')).href
      const script = document.createElement('script')
      script.src = `${base}assets/captcha.js`
      script.onerror = () => (said.value = `No service answers at ${base}.`)
      script.onload = () => {
        const box = document.createElement('div')
        const attributes = { sitekey: 'hv_site_testsite', action: 'sign-up', 'api-base': base, start: 'load' }
        box.className = 'svc-captcha'
        for (const [name, value] of Object.entries(attributes)) box.setAttribute(`data-${name}`, value)
        live.replaceWith(box)
      }
      document.head.append(script)
    })

    for (const [number, tabs] of document.querySelectorAll('.tabs').entries()) {
      const list = document.createElement('div')
      list.setAttribute('role', 'tablist')
      list.setAttribute('aria-label', 'Languages')
      const blocks = [...tabs.querySelectorAll('pre')]
      const buttons = blocks.map((block, i) => {
        const button = document.createElement('button')
        button.type = 'button'
        button.setAttribute('role', 'tab')
        button.id = `tab-${number}-${i}`
        button.textContent = block.dataset.language
        block.setAttribute('role', 'tabpanel')
        block.setAttribute('aria-labelledby', button.id)
        button.addEventListener('click', () => select(i))
        button.addEventListener('keydown', ({ key }) => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
          if (step) select((i + step + blocks.length) % blocks.length).focus()
        })
        list.append(button)
        return button
      })
      const select = (at) => {
        for (const [i, button] of buttons.entries()) {
          button.setAttribute('aria-selected', String(i === at))
          button.tabIndex = i === at ? 0 : -1
          blocks[i].hidden = i !== at
        }
        return buttons[at]
      }
      tabs.prepend(list)
      select(0)
    }
  })
})()
