import { expect, test } from '@jest/globals'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { container } from '../support/customer.ts'
import { begin, inChromium, on } from './stage.ts'

declare const svcCaptcha: SvcCaptcha

inChromium(() => begin())

test('1,000 mounts and removals leave no node, listener, timer, worker or frame', async () => {
  await on.page.addInitScript(() => {
    const timers = new Set<number>()
    const set = window.setTimeout.bind(window)
    const clear = window.clearTimeout.bind(window)
    const setTimeout = (task: () => void, ms: number): number => {
      const timer = set(() => {
        timers.delete(timer)
        task()
      }, ms)
      timers.add(timer)
      return timer
    }
    const clearTimeout = (timer: number): void => (timers.delete(timer), clear(timer))
    Object.assign(window, { timers, setTimeout, clearTimeout })
  })
  await on.open('<main></main>')
  const session = await on.page.context().newCDPSession(on.page)
  await session.send('Performance.enable')
  const counted = async (): Promise<Record<string, number>> => {
    await session.send('HeapProfiler.collectGarbage')
    const { metrics } = await session.send('Performance.getMetrics')
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]))
  }
  const mount = (times: number, start: string): Promise<void> =>
    on.page.evaluate(
      async ([count, html]) => {
        const main = document.querySelector('main')!
        for (let i = 0; i < count; i++) {
          main.innerHTML = html
          const place = main.querySelector<HTMLElement>('div')!
          svcCaptcha.render(place)
          // Some are removed during their work.
          if (html.includes('load')) await new Promise((resolve) => requestAnimationFrame(resolve))
          svcCaptcha.remove(place)
          main.innerHTML = ''
        }
      },
      [times, container(on.service.base, `data-start="${start}"`)] as const,
    )
  const settled = (): Promise<unknown> => on.page.waitForFunction('timers.size === 0', undefined, { timeout: 15_000 })
  await mount(5, 'load')
  await settled()
  const before = await counted()
  await mount(1000, 'manual')
  await mount(20, 'load')
  await settled()
  expect(on.page.workers()).toHaveLength(0)
  const after = await counted()
  // A few nodes come and go with the collector; one per mount would be a thousand.
  expect(after['Nodes']! - before['Nodes']!).toBeLessThan(50)
  expect(after['JSEventListeners']! - before['JSEventListeners']!).toBeLessThan(10)
  expect(after['Frames']).toBe(before['Frames'])
}, 60_000)
