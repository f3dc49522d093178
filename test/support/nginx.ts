import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needProgram } from './programs.mjs'
import { freePort } from './ports.mjs'
import { listening } from './redis.ts'

/** A real nginx in front of some instances, with connections to them that it keeps. */
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
  upstream instances {
${urls.map((url) => `    server ${new URL(url).host};`).join('\n')}
    keepalive 16;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://instances;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $remote_addr;
      # What surely did not reach an instance is sent to another one, and nothing else: a token must not be consumed by a retry.
      proxy_next_upstream error;
      # Bodies pass as they come, so that it is our framing that is tried and not a copy of nginx's.
      proxy_request_buffering off;
    }
  }
}
`
