/**
 * Makes the few objects of a browser that the widget's measuring code looks at: events, elements with a box, a document that
 * listeners can be added to, and a clock that is set by hand. It is no browser: only the widget's measuring code runs here.
 */
export function simulatedPage() {
  let now = 0
  class Event {
    isTrusted = true
    constructor(source, target) {
      this.type = source.type
      this.timeStamp = source.timeStamp
      this.target = target
    }
    composedPath() {
      return [this.target]
    }
  }
  class MouseEvent extends Event {
    pointerType = 'mouse'
    sourceCapabilities = MOUSE
    constructor(source, target) {
      super(source, target)
      this.clientX = source.x
      this.clientY = source.y
      this.pressure = source.type === 'pointerdown' ? 0.5 : 0
      this.coalesced = source.coalesced
    }
    getCoalescedEvents() {
      return (this.coalesced ?? []).map(({ x, y, timeStamp }) => ({ clientX: x, clientY: y, timeStamp }))
    }
  }
  class KeyboardEvent extends Event {
    repeat = false
    isComposing = false
    altKey = false
    constructor(source, target) {
      super(source, target)
      this.key = source.key
      this.code = source.code
      this.shiftKey = source.isShifted
    }
    getModifierState() {
      return false
    }
  }
  class InputEvent extends Event {
    inputType = 'insertText'
    data = 'x'
  }
  class Element {
    type = 'text'
    constructor(box) {
      this.box = box
    }
    getBoundingClientRect() {
      return this.box
    }
    contains() {
      return false
    }
    matches() {
      return false
    }
  }
  class HTMLInputElement extends Element {
    /** Asked for the fields of text. */
    matches() {
      return this.type === 'text'
    }
  }
  class HTMLTextAreaElement extends Element {}

  const eventOf = (source, target) => {
    if (source.type.startsWith('key')) return new KeyboardEvent(source, target)
    if (source.type === 'input') return new InputEvent(source, target)
    return source.type === 'focusin' ? new Event(source, target) : new MouseEvent(source, target)
  }

  return {
    /** The browser's names, for the widget's code. A device's event has no caller: an error has no stack. */
    names: {
      performance: { now: () => Math.round(now * 10) / 10 },
      document: { body: undefined },
      Error: function StacklessError() {},
      Element,
      HTMLInputElement,
      HTMLTextAreaElement,
      KeyboardEvent,
      MouseEvent,
    },
    now: () => now,
    /** Sets the clock. @param {number} ms from the load of the page */
    at: (ms) => void (now = ms),
    /** Opens a page with these parts; listeners of the last one hear no more. */
    open(form) {
      const elements = new Map(form.map((part) => [part.id, elementOf(part)]))
      const elsewhere = new Element({ left: 0, top: 0, width: 1280, height: 800 })
      const listeners = new Map()
      return {
        hidden: false,
        hasFocus: () => true,
        addEventListener: (type, listener) => void listeners.set(type, listener),
        removeEventListener: (type) => void listeners.delete(type),
        dispatch(source) {
          const listener = listeners.get(source.type)
          listener?.(eventOf(source, elements.get(source.id) ?? elsewhere))
        },
      }
    },
  }

  function elementOf({ kind, ...box }) {
    const element = kind === 'button' ? new Element(box) : new HTMLInputElement(box)
    if (kind === 'box') element.type = 'checkbox'
    return element
  }
}

const MOUSE = { firesTouchEvents: false }
