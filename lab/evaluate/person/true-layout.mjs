import { activeWindow } from '../screen/active-window.mjs'
import { placedBy } from './on-screen.mjs'

/**
 * Where things are for a hand: as the page tells, or by the X server's own account, where a browser does not tell its page.
 *
 * @param {object} x a client of the X server
 * @param {boolean} believes whether the page's account of the screen is true
 */
export const trueLayout = async (layout, x, believes) => (believes ? layout : placedBy(layout, await activeWindow(x)))
