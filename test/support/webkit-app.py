"""An app with one WebKitGTK web view: shows argv[1], presses its button argv[2] times, and prints each message to its bridge as a line.

The bridge is WebKit's own, as on iOS. A press is one of the X server's pointer, at the button's middle.
"""

import ctypes
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import GLib, Gtk, WebKit2  # noqa: E402

x11, xtest = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
x11.XOpenDisplay.restype = ctypes.c_void_p
screen = ctypes.c_void_p(x11.XOpenDisplay(None))

ADDRESS, PRESSES = sys.argv[1], int(sys.argv[2])
MIDDLE = """(() => {
  const { x, y, width, height } = document.querySelector('p > button:enabled:not([hidden])')?.getBoundingClientRect() ?? {}
  return width ? [x + width / 2, y + height / 2].join() : ''
})()"""
said = []


def look():
    view.evaluate_javascript(MIDDLE, -1, None, None, None, press)
    return False


def press(_view, result):
    middle = view.evaluate_javascript_finish(result).to_string()
    if not middle:
        GLib.timeout_add(50, look)
        return
    _, left, top = view.get_window().get_origin()
    x, y = (int(float(each)) for each in middle.split(","))
    xtest.XTestFakeMotionEvent(screen, -1, left + x, top + y, 0)
    for is_down in (1, 0):
        xtest.XTestFakeButtonEvent(screen, 1, is_down, 0)
    x11.XFlush(screen)


def hear(_manager, message):
    said.append(message.get_js_value().to_string())
    print(said[-1], flush=True)
    if len(said) == PRESSES:
        Gtk.main_quit()
    else:
        look()


manager = WebKit2.UserContentManager()
manager.connect("script-message-received::HumanVerification", hear)
manager.register_script_message_handler("HumanVerification")
view = WebKit2.WebView.new_with_user_content_manager(manager)
view.connect("load-changed", lambda _view, event: event == WebKit2.LoadEvent.FINISHED and look())
window = Gtk.Window(default_width=800, default_height=600)
window.add(view)
window.show_all()
view.load_uri(ADDRESS)
# A page that says nothing does not keep it for ever.
GLib.timeout_add_seconds(60, Gtk.main_quit)
Gtk.main()
