import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needProgram } from './programs.mjs'
import { freePort } from './ports.mjs'
import { listening } from './redis.ts'

/** A real nginx in front of some instances: deploy/nginx/human-verification.conf. */
export interface Nginx {
  readonly url: string
  stop(): Promise<void>
}

/** @param urls of the instances. */
export async function startNginx(urls: readonly string[]): Promise<Nginx> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'hv-nginx-'))
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration(port, folder, urls))
  const proxy = spawn(needProgram('nginx'), ['-p', folder, '-e', join(folder, 'error.log'), '-c', file], {
    stdio: 'ignore',
  })
  const exited = once(proxy, 'exit')
  await listening(port)
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      // Its fast shutdown: killed at once, its worker process would live on.
      proxy.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const configuration = (port: number, folder: string, urls: readonly string[]): string => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
${sample(port, urls)}
}
`

/** The sample that operators start from, without TLS and without limits: one address sends what all visitors of a test send. */
const sample = (port: number, urls: readonly string[]): string =>
  readFileSync(new URL('../../deploy/nginx/human-verification.conf', import.meta.url), 'utf8')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_.*$/gm, '')
    .replace('server 127.0.0.1:8080;', urls.map((url) => `server ${new URL(url).host};`).join('\n    '))
    .replace('limit_conn hv_connections 256;', '')
    .replace('limit_req zone=hv_requests burst=600 nodelay;', '')
    // Bodies pass as they come, so that it is our framing that is tried and not a copy of nginx's.
    .replace('proxy_http_version 1.1;', 'proxy_http_version 1.1;\n        proxy_request_buffering off;')
