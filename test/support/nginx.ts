import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { existsSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { until } from './until.ts'

const program = '/usr/sbin/nginx'

/** Whether nginx is installed. */
export const hasNginx = existsSync(program)

/**
 * Starts nginx, and waits until it listens on a port.
 *
 * @param servers - builds its server blocks, given a folder for sockets.
 * @returns a function that stops it.
 */
export async function startNginx(
  port: number,
  servers: (folder: string) => string,
): Promise<() => Promise<void>> {
  const folder = makeTemporaryFolder()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const isRoot = process.getuid?.() === 0
  const config = `
    ${isRoot ? 'user root;' : ''}
    daemon off;
    pid ${folder}/nginx.pid;
    error_log ${folder}/error.log;
    events {}
    http { access_log off; ${temporary.join(' ')} ${servers(folder)} }`
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, config)
  const child = spawn(program, ['-c', file, '-e', join(folder, 'error.log')], { stdio: 'inherit' })
  await until(
    () => isOpen(port),
    (isThere) => isThere,
  )
  return async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
