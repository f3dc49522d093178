/**
 * The kinds of page that the documentation of Turnstile, hCaptcha, reCAPTCHA and Cap shows, written anew with its options: they run with another script address and
 * another sitekey, nothing else. docs/start/migrate.md, "The page as it is".
 */
import { expect, test } from '@jest/globals'
import { SITEKEY } from '../../support/app.ts'
import type { Action } from '../../../src/domain/words.ts'
import { inEachBrowser } from './browsers.ts'

const TURNSTILE = 'SERVICE/assets/compat.js?as=turnstile&v=1'
const HCAPTCHA = 'SERVICE/assets/compat.js?as=hcaptcha&v=1'
const RECAPTCHA = 'SERVICE/assets/compat.js?as=grecaptcha&v=1'
const CAP = 'SERVICE/assets/compat.js?as=cap&v=1'

interface Page {
  readonly shows: string
  readonly html: string
  /** A member of the page that is true once the button may be pressed; undefined: always. */
  readonly ready?: string
  /** The button that a person presses; none: the page sends by itself. */
  readonly press?: string
  /** The fields that reach the server; the last one has the token. */
  readonly fields: readonly string[]
  readonly action?: string
}

/** A page's own way to send a token that its script was given. */
const SENDS = `function sendToken(name, token) {
    fetch('/ajax', { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: name + '=' + encodeURIComponent(token) })
  }`

const PAGES: readonly Page[] = [
  {
    shows: 'Turnstile, implicit rendering in a form',
    html: `<script src="${TURNSTILE}" async defer></script>
      <script>function onSuccess(token) { document.querySelector('#go').disabled = false }
        function onError(code) { console.error(code) } function onExpired() { document.querySelector('#go').disabled = true }</script>
      <form action="/handle" method="POST"><input name="username" value="ada">
        <div class="cf-turnstile" data-sitekey="${SITEKEY}" data-theme="light" data-size="flexible" data-language="es" data-action="login"
          data-cdata="order-1" data-appearance="always" data-retry="auto" data-retry-interval="8000" data-refresh-expired="auto"
          data-callback="onSuccess" data-error-callback="onError" data-expired-callback="onExpired" data-timeout-callback="onError"></div>
        <button id="go" disabled>Log in</button></form>`,
    ready: `document.querySelector('#go:enabled')`,
    press: '#go',
    fields: ['username', 'cf-turnstile-response'],
    action: 'login',
  },
  {
    shows: 'Turnstile, turnstile.ready, reset and getResponse by the widget’s id',
    html: `<script src="${TURNSTILE}&render=explicit"></script><div id="place"></div>
      <script>${SENDS}
        let first
        turnstile.ready(function () {
          const id = turnstile.render('#place', { sitekey: '${SITEKEY}', callback: function (token) {
            if (!first) { first = token; turnstile.reset(id) }
            else sendToken('cf-turnstile-response', turnstile.getResponse(id))
          } })
        })</script>`,
    fields: ['cf-turnstile-response'],
  },
  {
    shows: 'Turnstile, execution: execute',
    html: `<script src="${TURNSTILE}&render=explicit"></script><div id="place"></div><button id="go">Go</button>
      <script>${SENDS}
        turnstile.ready(function () {
          turnstile.render('#place', { sitekey: '${SITEKEY}', execution: 'execute', appearance: 'execute',
            callback: function (token) { sendToken('cf-turnstile-response', token) } })
          window.isRendered = true
        })
        document.querySelector('#go').onclick = function () { turnstile.execute('#place') }</script>`,
    ready: 'window.isRendered',
    press: '#go',
    fields: ['cf-turnstile-response'],
  },
  {
    shows: 'hCaptcha, rendered automatically, with a button that its callback enables',
    html: `<script src="${HCAPTCHA}" async defer></script>
      <script>function solved(token) { document.querySelector('#go').disabled = false }</script>
      <form action="/handle" method="POST"><div class="h-captcha" data-sitekey="${SITEKEY}" data-callback="solved"></div>
        <button id="go" disabled>Send</button></form>`,
    ready: `document.querySelector('#go:enabled')`,
    press: '#go',
    fields: ['h-captcha-response'],
  },
  {
    shows: 'hCaptcha, invisible, whose reset asks for nothing',
    html: `<script>${SENDS}
      function loaded() {
        const id = hcaptcha.render('place', { sitekey: '${SITEKEY}', size: 'invisible', callback: function (token) {
          hcaptcha.reset(id)
          if (hcaptcha.getResponse(id) === '') sendToken('h-captcha-response', token)
        } })
        hcaptcha.execute(id)
      }</script>
      <script src="${HCAPTCHA}&onload=loaded&render=explicit" async defer></script><div id="place"></div>`,
    fields: ['h-captcha-response'],
  },
  {
    shows: 'reCAPTCHA v2, rendered automatically',
    html: `<script src="${RECAPTCHA}" async defer></script>
      <script>function done() { window.isDone = true } function expired() { window.isDone = false }</script>
      <form action="/handle" method="POST"><input name="comment" value="hello">
        <div class="g-recaptcha" data-sitekey="${SITEKEY}" data-theme="dark" data-size="compact" data-tabindex="3"
          data-callback="done" data-expired-callback="expired" data-error-callback="expired"></div>
        <input id="go" type="submit" value="Submit"></form>`,
    ready: 'window.isDone',
    press: '#go',
    fields: ['comment', 'g-recaptcha-response'],
  },
  {
    shows: 'reCAPTCHA v2, two widgets rendered explicitly, read by their ids',
    html: `<script>${SENDS}
        var widgetId1, widgetId2, onloadCallback = function () {
          widgetId1 = grecaptcha.render('example1', { sitekey: '${SITEKEY}', theme: 'light' })
          widgetId2 = grecaptcha.render(document.getElementById('example2'), { sitekey: '${SITEKEY}', callback: function () {
            sendToken('g-recaptcha-response', grecaptcha.getResponse(widgetId2))
          } })
        }</script>
      <form action="javascript:void(0)"><div id="example1"></div></form><form action="?"><div id="example2"></div></form>
      <script src="${RECAPTCHA}&onload=onloadCallback&render=explicit&hl=de" async defer></script>`,
    fields: ['g-recaptcha-response'],
  },
  {
    shows: 'invisible reCAPTCHA, bound to a button by its attributes',
    html: `<script src="${RECAPTCHA}" async defer></script>
      <script>function onSubmit(token) { document.getElementById('demo-form').submit() }</script>
      <form id="demo-form" action="/handle" method="POST">
        <button id="go" class="g-recaptcha" data-sitekey="${SITEKEY}" data-callback="onSubmit">Submit</button></form>`,
    ready: `document.querySelector('#demo-form > div')`,
    press: '#go',
    fields: ['g-recaptcha-response'],
  },
  {
    shows: 'invisible reCAPTCHA, bound to a button by a script',
    html: `<script>
        var onSubmit = function (token) { document.getElementById('demo-form').submit() }
        var onloadCallback = function () { grecaptcha.render('go', { sitekey: '${SITEKEY}', callback: onSubmit }) }</script>
      <form id="demo-form" action="/handle" method="POST"><input id="go" type="submit" value="Submit"></form>
      <script src="${RECAPTCHA}&onload=onloadCallback&render=explicit" async defer></script>`,
    ready: `document.querySelector('#demo-form > div')`,
    press: '#go',
    fields: ['g-recaptcha-response'],
  },
  {
    shows: 'invisible reCAPTCHA, started by the page after its own checks',
    html: `<script>${SENDS}
        function onSubmit(token) { sendToken('g-recaptcha-response', token) }
        function validate(event) {
          event.preventDefault()
          if (document.getElementById('field').value) grecaptcha.execute()
        }
        function onload() { document.getElementById('go').onclick = validate }</script>
      <script src="${RECAPTCHA}" async defer></script>
      <form><input id="field" name="field" value="x">
        <div id="recaptcha" class="g-recaptcha" data-sitekey="${SITEKEY}" data-callback="onSubmit" data-size="invisible"></div>
        <button id="go">submit</button></form><script>onload()</script>`,
    ready: `document.querySelector('#recaptcha > *')`,
    press: '#go',
    fields: ['g-recaptcha-response'],
  },
  {
    shows: 'reCAPTCHA v3, execute with an action',
    html: `<script src="${RECAPTCHA}&render=${SITEKEY}"></script><button id="go">Go</button>
      <script>${SENDS}
        document.getElementById('go').onclick = function (event) {
          event.preventDefault()
          grecaptcha.ready(function () {
            grecaptcha.execute('${SITEKEY}', { action: 'submit' }).then(function (token) { sendToken('g-recaptcha-response', token) })
          })
        }</script>`,
    press: '#go',
    fields: ['g-recaptcha-response'],
    action: 'submit',
  },
  {
    shows: 'reCAPTCHA Enterprise, execute with an action',
    html: `<script src="${RECAPTCHA}&render=${SITEKEY}"></script>
      <script>${SENDS}
        grecaptcha.enterprise.ready(async function () {
          const token = await grecaptcha.enterprise.execute('${SITEKEY}', { action: 'LOGIN' })
          sendToken('g-recaptcha-response', token)
        })</script>`,
    fields: ['g-recaptcha-response'],
    action: 'LOGIN',
  },
  ...(
    [
      ['reCAPTCHA', '/recaptcha/api.js', 'g-recaptcha'],
      ['Turnstile', '/turnstile/v0/api.js', 'cf-turnstile'],
      ['hCaptcha', '/1/api.js', 'h-captcha'],
    ] as const
  ).map(([service, path, kind]): Page => ({
    shows: `${service}, its script on its own path`,
    html: `<script src="SERVICE${path}" async defer></script><script>function solved() { document.querySelector('#go').disabled = false }</script>
        <form action="/handle" method="POST"><input name="username" value="ada">
          <div class="${kind}" data-sitekey="${SITEKEY}" data-callback="solved"></div><button id="go" disabled>Log in</button></form>`,
    ready: `document.querySelector('#go:enabled')`,
    press: '#go',
    fields: ['username', `${kind}-response`],
  })),
  {
    shows: 'Cap, its element in a form, with an attribute and a listener for its events',
    html: `<script src="${CAP}" async defer></script>
      <script>let solved = 0, heard = 0
        function onSolved(event) { if (event.detail.token === document.querySelector('cap-widget').token) solved++ }
        document.addEventListener('solve', function () { heard++; document.querySelector('#go').disabled = solved !== 1 })</script>
      <form action="/handle" method="POST"><input name="username" value="ada">
        <cap-widget data-cap-api-endpoint="SERVICE/${SITEKEY}/" onsolve="onSolved"></cap-widget><button id="go" disabled>Log in</button></form>`,
    ready: `document.querySelector('#go:enabled')`,
    press: '#go',
    fields: ['username', 'cap-token'],
  },
  {
    shows: 'Cap, its element with another field, after a reset',
    html: `<script src="${CAP}"></script>
      <script>let solved = 0
        addEventListener('solve', function (event) { if (++solved === 1) event.target.reset(); else document.querySelector('#go').disabled = false })</script>
      <form action="/handle" method="POST"><cap-widget data-cap-api-endpoint="SERVICE/${SITEKEY}/" data-cap-hidden-field-name="captcha"></cap-widget>
        <button id="go" disabled>Log in</button></form>`,
    ready: `document.querySelector('#go:enabled')`,
    press: '#go',
    fields: ['captcha'],
  },
  {
    shows: 'Cap, by its class and without an element',
    html: `<script src="${CAP}"></script><script>${SENDS}
      addEventListener('DOMContentLoaded', async function () {
        const cap = new Cap({ apiEndpoint: 'SERVICE/${SITEKEY}/' })
        const { success, token } = await cap.solve()
        if (success && token === cap.token) sendToken('cap-token', token)
      })</script>`,
    fields: ['cap-token'],
  },
]

inEachBrowser({ defaultAction: 'sign-up' as Action }, (world) => {
  test.each(PAGES)('$shows: its server gets a token that siteverify accepts', async (page) => {
    const { html, ready, press, fields, action = 'sign-up' } = page
    const { browser, on } = world
    on.customer.script = ''
    on.customer.page = html.replaceAll('SERVICE', on.service.base)
    await browser.open(on.customer.url)
    if (ready) await browser.until(ready)
    if (press) await browser.click(press)
    const { fields: sent } = await on.received(1)
    expect(sent.map(([name]) => name)).toEqual(fields)
    expect(await on.verified(sent.at(-1)![1], action)).toBe(true)
  })
})
