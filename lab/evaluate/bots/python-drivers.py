"""Drives Chromium by a driver of PyPI, as its guide shows it: python-drivers.py DRIVER URL.

Reads lines of JSON from standard input ({"act": "type", "id": …, "text": …}, or "click", or "press" with "x" and "y") and answers each with a
line: "done", or what went wrong. The browser is open when the first line says "open".
"""
import asyncio
import contextlib
import inspect
import json
import os
import shutil
import sys
from pathlib import Path

CHROMIUM = "/usr/bin/chromium"
WINDOW = ["--window-size=1340,960", "--window-position=180,30"]
HOME = os.environ["HOME"]


def browsers_of_playwright(folder):
    """Gives Playwright the distribution's Chromium in the place of the one that it would download."""
    import playwright

    package = Path(playwright.__file__).parent / "driver/package"
    browsers = json.loads((package / "browsers.json").read_text())["browsers"]
    (revision,) = (each["revision"] for each in browsers if each["name"] == "chromium")
    program = Path(folder) / f"chromium-{revision}/chrome-linux64/chrome"
    program.parent.mkdir(parents=True)
    program.symlink_to(CHROMIUM)
    os.environ["PLAYWRIGHT_BROWSERS_PATH"] = folder
    os.environ["PLAYWRIGHT_SKIP_VALIDATE_HOST_REQUIREMENTS"] = "1"


class Nodriver:
    """`select`, `send_keys` and `click`, whose click is a script's; zendriver is a fork of it."""

    name = "nodriver"

    async def open(self, url):
        library = __import__(self.name)
        how = {"browser_executable_path": CHROMIUM, "browser_args": WINDOW}
        # It waits two seconds for the browser, which is short on a busy machine.
        for attempt in range(8):
            try:
                self.browser = await library.start(**how)
                break
            except Exception:
                if attempt == 7:
                    raise
        self.page = await self.browser.get(url)

    async def type(self, id, text):
        await (await self.page.select(f"#{id}")).send_keys(text)

    async def click(self, id):
        await (await self.page.select(f"#{id}")).click()

    async def press(self, x, y):
        await self.page.mouse_click(x, y)

    def close(self):
        return self.browser.stop()


class NodriverByMouse(Nodriver):
    """The same with `mouse_click`."""

    async def click(self, id):
        await (await self.page.select(f"#{id}")).mouse_click()


class Zendriver(Nodriver):
    name = "zendriver"


class ZendriverByMouse(NodriverByMouse):
    name = "zendriver"


class Pydoll:
    humanize = False

    async def open(self, url):
        from pydoll.browser.chromium import Chrome
        from pydoll.browser.options import ChromiumOptions

        options = ChromiumOptions()
        options.binary_location = CHROMIUM
        for each in WINDOW:
            options.add_argument(each)
        self.browser = Chrome(options=options)
        self.tab = await self.browser.start()
        await self.tab.go_to(url)

    async def type(self, id, text):
        await (await self.tab.find(id=id)).type_text(text, humanize=self.humanize)

    async def click(self, id):
        await (await self.tab.find(id=id)).click(humanize=self.humanize)

    async def press(self, x, y):
        await self.tab.mouse.click(x, y, humanize=self.humanize)

    async def close(self):
        await self.browser.stop()


class PydollHumanized(Pydoll):
    humanize = True


class UndetectedChromedriver:
    def open(self, url):
        import undetected_chromedriver

        # It patches the file.
        driver = shutil.copy("/usr/bin/chromedriver", f"{HOME}/chromedriver")
        options = undetected_chromedriver.ChromeOptions()
        for each in WINDOW:
            options.add_argument(each)
        paths = {"browser_executable_path": CHROMIUM, "driver_executable_path": driver}
        self.driver = undetected_chromedriver.Chrome(options=options, **paths)
        self.driver.get(url)

    def field(self, id):
        return self.driver.find_element("id", id)

    def type(self, id, text):
        self.field(id).send_keys(text)

    def click(self, id):
        self.field(id).click()

    def press(self, x, y):
        from selenium.webdriver.common.actions.action_builder import ActionBuilder

        action = ActionBuilder(self.driver)
        action.pointer_action.move_to_location(int(x), int(y)).click()
        action.perform()

    def close(self):
        self.driver.quit()


class DrissionPage:
    def open(self, url):
        from DrissionPage import ChromiumOptions, ChromiumPage

        options = ChromiumOptions(read_file=False).set_browser_path(CHROMIUM).auto_port()
        for each in WINDOW:
            options.set_argument(*each.split("="))
        self.page = ChromiumPage(options)
        self.page.get(url)

    def type(self, id, text):
        self.page.ele(f"#{id}").input(text)

    def click(self, id):
        self.page.ele(f"#{id}").click()

    def press(self, x, y):
        self.page.actions.move_to((x, y)).click()

    def close(self):
        self.page.quit()


class Patchright:
    async def open(self, url):
        from patchright.async_api import async_playwright

        self.library = await async_playwright().start()
        how = {"executable_path": CHROMIUM, "headless": False, "no_viewport": True}
        context = await self.library.chromium.launch_persistent_context(
            f"{HOME}/profile", chromium_sandbox=True, args=WINDOW, **how
        )
        self.page = context.pages[0]
        await self.page.goto(url)

    async def type(self, id, text):
        await self.page.fill(f"#{id}", text)

    async def click(self, id):
        await self.page.click(f"#{id}")

    async def press(self, x, y):
        await self.page.mouse.click(x, y)

    async def close(self):
        await self.page.context.close()


class PlaywrightStealth:
    """Stock Playwright with all evasions of playwright-stealth."""

    async def open(self, url):
        from playwright.async_api import async_playwright
        from playwright_stealth import Stealth

        self.over = contextlib.AsyncExitStack()
        library = await self.over.enter_async_context(Stealth().use_async(async_playwright()))
        how = {"executable_path": CHROMIUM, "headless": False, "chromium_sandbox": True}
        self.browser = await library.chromium.launch(args=WINDOW, **how)
        self.page = await self.browser.new_page(no_viewport=True)
        await self.page.goto(url)

    async def type(self, id, text):
        await self.page.fill(f"#{id}", text)

    async def click(self, id):
        await self.page.click(f"#{id}")

    async def press(self, x, y):
        await self.page.mouse.click(x, y)

    async def close(self):
        await self.browser.close()
        await self.over.aclose()


class Crawl4ai:
    """A crawler whose hook after the page has come gets a page of Playwright, and fills in the form."""

    browser = {}
    run = {}

    async def open(self, url):
        browsers_of_playwright(f"{HOME}/browsers")
        from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig

        self.over = asyncio.Event()
        opened = asyncio.get_running_loop().create_future()

        async def automate(page, **_):
            opened.set_result(page)
            await self.over.wait()
            return page

        how = {"headless": False, "extra_args": WINDOW, "verbose": False, **self.browser}
        self.crawler = AsyncWebCrawler(config=BrowserConfig(**how))
        self.crawler.crawler_strategy.set_hook("after_goto", automate)
        await self.crawler.start()
        once = CrawlerRunConfig(cache_mode=CacheMode.BYPASS, **self.run)
        self.crawling = asyncio.ensure_future(self.crawler.arun(url, config=once))
        await asyncio.wait([opened, self.crawling], return_when=asyncio.FIRST_COMPLETED)
        if not opened.done():
            raise RuntimeError(self.crawling.result().error_message)
        self.page = opened.result()

    async def type(self, id, text):
        await self.page.fill(f"#{id}", text)

    async def click(self, id):
        await self.page.click(f"#{id}")

    async def press(self, x, y):
        await self.page.mouse.click(x, y)

    async def close(self):
        self.over.set()
        await self.crawler.close()


class Crawl4aiMagic(Crawl4ai):
    """The same with its stealth mode, and with the run that its guide to bot detection shows."""

    browser = {"enable_stealth": True}
    run = {"magic": True, "simulate_user": True, "override_navigator": True}


class SeleniumBase:
    """Its "CDP mode", which starts the browser without chromedriver."""

    def open(self, url):
        from seleniumbase import sb_cdp

        self.page = sb_cdp.Chrome(url, browser_executable_path=CHROMIUM, browser_args=WINDOW)

    def type(self, id, text):
        self.page.type(f"#{id}", text)

    def click(self, id):
        self.page.click(f"#{id}")

    def press(self, x, y):
        self.page.loop.run_until_complete(self.page.page.mouse_click(x, y))

    def close(self):
        self.page.driver.stop()


class SeleniumBaseUc(UndetectedChromedriver):
    """Its "UC mode", which patches chromedriver, and disconnects it while the page loads and while the button is clicked."""

    def open(self, url):
        # It patches the driver beside its own modules, which are its user's where pip installed them.
        own = f"{HOME}/packages"
        name = "seleniumbase"
        shutil.copytree(f"{os.environ['PYTHONPATH']}/{name}", f"{own}/{name}")
        sys.path.insert(0, own)
        from seleniumbase import Driver

        place = {"window_size": "1340,960", "window_position": "180,30"}
        self.driver = Driver(uc=True, headed=True, binary_location=CHROMIUM, **place)
        self.driver.uc_open_with_reconnect(url, 4)

    def type(self, id, text):
        self.driver.type(f"#{id}", text)

    def click(self, id):
        self.driver.uc_click(f"#{id}")


class Botasaurus:
    """Its driver, which finds the browser by itself."""

    def open(self, url):
        from botasaurus_driver import Driver

        self.driver = Driver(arguments=WINDOW)
        self.driver.get(url)

    def type(self, id, text):
        self.driver.type(f"#{id}", text)

    def click(self, id):
        self.driver.click(f"#{id}")

    def press(self, x, y):
        self.driver.click_at_point(int(x), int(y))

    def close(self):
        self.driver.close()


class Scrapling:
    """A stealthy session; the form is filled in by its `page_action`, which gets a page of patchright."""

    async def open(self, url):
        from scrapling.fetchers import AsyncStealthySession

        how = {"executable_path": CHROMIUM, "extra_flags": WINDOW, "timeout": 300_000}
        self.session = AsyncStealthySession(headless=False, **how)
        await self.session.start()
        self.over = asyncio.Event()
        opened = asyncio.get_running_loop().create_future()

        async def automate(page):
            opened.set_result(page)
            await self.over.wait()

        self.fetching = asyncio.ensure_future(self.session.fetch(url, page_action=automate))
        await asyncio.wait([opened, self.fetching], return_when=asyncio.FIRST_COMPLETED)
        self.page = opened.result() if opened.done() else self.fetching.result()

    async def type(self, id, text):
        await self.page.fill(f"#{id}", text)

    async def click(self, id):
        await self.page.click(f"#{id}")

    async def press(self, x, y):
        await self.page.mouse.click(x, y)

    async def close(self):
        self.over.set()
        await self.session.close()


class BrowserUse:
    """An agent's tools. The model, which reads the numbered elements of the page and chooses, is replaced by a fixed choice."""

    async def open(self, url):
        from browser_use import Browser, Tools

        # Its extensions (an ad blocker among them) come from a shop that is not reached here.
        how = {"executable_path": CHROMIUM, "headless": False, "enable_default_extensions": False}
        self.browser = Browser(
            user_data_dir=f"{HOME}/profile", chromium_sandbox=True, args=WINDOW, **how
        )
        self.tools = Tools()
        self.tools.set_coordinate_clicking(True)
        await self.browser.start()
        await self.act("navigate", url=url, new_tab=False)

    async def act(self, tool, **given):
        result = await getattr(self.tools, tool)(browser_session=self.browser, **given)
        if result.error:
            raise RuntimeError(result.error)

    async def number(self, id):
        """Looks at the page as before each answer of the model, and finds the number of an element."""
        await self.browser.get_browser_state_summary(include_screenshot=True)
        elements = await self.browser.get_selector_map()
        return next(i for i, each in elements.items() if each.attributes.get("id") == id)

    async def type(self, id, text):
        await self.act("input", index=await self.number(id), text=text)

    async def click(self, id):
        await self.act("click", index=await self.number(id))

    async def press(self, x, y):
        await self.act("click", coordinate_x=int(x), coordinate_y=int(y))

    async def close(self):
        await self.browser.kill()


DRIVERS = {
    "nodriver": Nodriver,
    "nodriver-mouse": NodriverByMouse,
    "zendriver": Zendriver,
    "zendriver-mouse": ZendriverByMouse,
    "pydoll": Pydoll,
    "pydoll-human": PydollHumanized,
    "undetected-chromedriver": UndetectedChromedriver,
    "DrissionPage": DrissionPage,
    "patchright": Patchright,
    "playwright-stealth": PlaywrightStealth,
    "crawl4ai": Crawl4ai,
    "crawl4ai-magic": Crawl4aiMagic,
    "browser-use": BrowserUse,
    "seleniumbase": SeleniumBase,
    "seleniumbase-uc": SeleniumBaseUc,
    "botasaurus": Botasaurus,
    "scrapling": Scrapling,
}


def said_of(driver, order, perform):
    """Carries an order out, and says how it ended."""
    act = order.pop("act")
    try:
        perform(getattr(driver, act)(**order))
        return "done"
    except Exception as error:  # whatever a driver raises is its answer
        return f"{act} {order.get('id', '')}: {type(error).__name__}: {error}".replace("\n", " ")


def main():
    driver = DRIVERS[sys.argv[1]]()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    answers = os.fdopen(os.dup(1), "w")
    # Drivers print as well.
    os.dup2(2, 1)

    def perform(done):
        if inspect.isawaitable(done):
            loop.run_until_complete(done)

    for line in sys.stdin:
        print(said_of(driver, json.loads(line), perform), file=answers, flush=True)


main()
