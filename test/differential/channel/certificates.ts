import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../../lab/process.js';
import type { TlsFiles } from '../../../src/ofp/channel/types.js';

/** A certificate authority made by ovs-pki, with keys of a controller and a switch. */
export class Authority {
  private constructor(readonly dir: string) {}

  static async create(dir: string): Promise<Authority> {
    mkdirSync(dir, { recursive: true });
    const authority = new Authority(dir);
    await authority.pki('init', '--bits=2048');
    await authority.pki('req+sign', 'ctl', 'controller');
    await authority.pki('req+sign', 'sc', 'switch');
    return authority;
  }

  /** For a controller: it trusts the authority of switches. */
  get controller(): TlsFiles {
    return this.files('ctl', 'switchca');
  }

  /** For a switch: it trusts the authority of controllers. */
  get switch(): TlsFiles {
    return this.files('sc', 'controllerca');
  }

  /** The switch's certificate again, with a validity that ended yesterday. */
  async expired(): Promise<TlsFiles> {
    const ca = join(this.dir, 'pki', 'switchca');
    const certificate = join(this.dir, 'expired-cert.pem');
    // prettier-ignore
    await run(
      [
        'openssl',
        'ca',
        '-config',
        join(ca, 'ca.cnf'),
        '-batch',
        '-notext',
        '-in',
        join(this.dir, 'sc-req.pem'),
        '-out',
        certificate,
        '-startdate',
        '20200101000000Z',
        '-enddate',
        '20200201000000Z',
      ],
      { cwd: ca },
    );
    return { ...this.switch, certificate };
  }

  private files(name: string, ca: string): TlsFiles {
    return {
      privateKey: join(this.dir, `${name}-privkey.pem`),
      certificate: join(this.dir, `${name}-cert.pem`),
      caCertificate: join(this.dir, 'pki', ca, 'cacert.pem'),
    };
  }

  private async pki(...argv: string[]): Promise<void> {
    const [command, ...rest] = argv;
    await run(
      [
        'ovs-pki',
        `--dir=${join(this.dir, 'pki')}`,
        `--log=${join(this.dir, 'pki.log')}`,
        '--batch',
        command!,
        ...rest,
      ],
      { cwd: this.dir },
    );
  }
}
