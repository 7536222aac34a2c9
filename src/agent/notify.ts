import { execFile } from 'node:child_process';

/**
 * Tells the service manager, sd_notify(3), where there is one. Node has no datagram sockets of the unix family, so
 * systemd-notify(1) speaks for us. Resolves when it was told, or couldn't be.
 * @param states `--ready`, `--status=TEXT`, or assignments such as `STOPPING=1`
 */
export function notify(...states: readonly string[]): Promise<void> {
  if (!process.env.NOTIFY_SOCKET) return Promise.resolve();
  return new Promise((resolve) => {
    execFile('systemd-notify', [...states], { timeout: 5000 }, () => resolve());
  });
}
