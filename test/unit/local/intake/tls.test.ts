import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IntakeError } from '#local/intake/intake-error.ts';
import {
  cannotListen,
  fileFault,
  formerCertificate,
  notKeyOf,
  notPem,
} from '#local/intake/messages.ts';
import type { CertificateFiles } from '#local/intake/tls-files.ts';
import { createHttpEventQueue } from '#shared/adapters/http/event-queue.ts';
import { unknownAuthority, unreadableFile } from '#shared/adapters/http/messages.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { pairIn, serveIntake } from './served.ts';

/** Stands for OpenSSL's reason, which depends on its version. */
const REASON = 'REASON';

function noPem(option: string, file: string): string {
  return fileFault(option, file, notPem(REASON));
}

describe('events by HTTPS', () => {
  it('come over an encrypted connection, to who has the certificate that vouches for it', async () => {
    await using place = await serveIntake();
    const { cert, key } = selfSigned();
    const tls = pairIn(place.folder, { cert, key });
    const { certFile } = tls;
    await using intake = await serveIntake({ tls });
    expect(intake.url).toMatch(/^https:/);
    const tokenFile = intake.tokenFile('wec/a');
    const sender = { url: intake.url, tokenFile };
    await createHttpEventQueue({ ...sender, caFile: certFile }).send([{ body: 'x' }]);
    expect(intake.taken).toEqual(['wec/a: x']);
    const strangers = createHttpEventQueue(sender);
    await expect(strangers.send([{ body: 'y' }])).rejects.toThrow(unknownAuthority(undefined));
    const other = join(place.folder, 'other.crt');
    writeFileSync(other, selfSigned().cert);
    const changing = createHttpEventQueue({ ...sender, caFile: other });
    await expect(changing.send([{ body: 'y' }])).rejects.toThrow(/is not in .*other.crt: put it/);
    await expect(
      createHttpEventQueue({ ...sender, caFile: `${other}.no` }).send([{ body: 'y' }]),
    ).rejects.toThrow(/caFile .*no: ENOENT/);
    expect(intake.taken).toHaveLength(1);
    // The file of authorities is read again, too.
    writeFileSync(other, `${cert}${selfSigned().cert}`);
    await changing.send([{ body: 'z' }]);
    expect(intake.taken).toHaveLength(2);
  });

  it.each<[string, object, (tls: CertificateFiles) => string]>([
    [
      'a certificate that is not there',
      { cert: undefined },
      ({ certFile }) => fileFault('--tls-cert', certFile, unreadableFile('ENOENT')),
    ],
    ['a certificate that is none', { cert: 'x' }, ({ certFile }) => noPem('--tls-cert', certFile)],
    ['a key that is none', { key: 'x' }, ({ keyFile }) => noPem('--tls-key', keyFile)],
    [
      'the key of another',
      { key: selfSigned().key },
      ({ certFile, keyFile }) => fileFault('--tls-key', keyFile, notKeyOf(certFile)),
    ],
  ])('are not offered with %s, which is named', async (_fault, given, says) => {
    await using place = await serveIntake();
    const pair: { cert?: string | undefined; key: string } = { ...selfSigned(), ...given };
    const tls = { certFile: join(place.folder, 'tls.crt'), keyFile: join(place.folder, 'tls.key') };
    if (pair.cert !== undefined) writeFileSync(tls.certFile, pair.cert);
    writeFileSync(tls.keyFile, pair.key);
    const attempt = serveIntake({ tls });
    await expect(attempt).rejects.toThrow(IntakeError);
    for (const part of says(tls).split(REASON)) await expect(attempt).rejects.toThrow(part);
  });
});

describe('the certificate', () => {
  it('is that of the present files; invalid ones leave the former one in use, and are reported once', async () => {
    await using place = await serveIntake();
    const [first, second] = [selfSigned(), selfSigned()];
    const tls = pairIn(place.folder, first);
    const faults: (string | undefined)[] = [];
    await using intake = await serveIntake({
      tls,
      onCertificateFault: (fault) => faults.push(fault),
      limits: { certificateMs: 10 },
    });
    const isOffered = async ({ cert }: typeof first): Promise<boolean> => {
      const caFile = join(place.folder, 'ca.crt');
      writeFileSync(caFile, cert);
      const queue = createHttpEventQueue({
        url: intake.url,
        tokenFile: intake.tokenFile('wec/a'),
        caFile,
      });
      return queue.send([{ body: 'x' }]).then(
        () => true,
        () => false,
      );
    };
    const WAITING = { timeout: 10_000, interval: 10 };
    expect(await isOffered(first)).toBe(true);
    writeFileSync(tls.certFile, 'nonsense');
    await expect.poll(() => faults, WAITING).toHaveLength(1);
    const unusable = formerCertificate(noPem('--tls-cert', tls.certFile));
    for (const part of unusable.split(REASON)) expect(faults[0]).toContain(part);
    expect(await isOffered(first)).toBe(true);
    writeFileSync(tls.certFile, second.cert);
    const fault = fileFault('--tls-key', tls.keyFile, notKeyOf(tls.certFile));
    await expect.poll(() => faults.at(-1), WAITING).toBe(formerCertificate(fault));
    pairIn(place.folder, second);
    await expect.poll(() => isOffered(second), WAITING).toBe(true);
    expect(await isOffered(first)).toBe(false);
    expect(faults.at(-1)).toBeUndefined();
  });
});

describe('an address', () => {
  it('that is in use is named, with a way out', async () => {
    await using intake = await serveIntake();
    const attempt = serveIntake({ port: intake.port });
    await expect(attempt).rejects.toThrow(IntakeError);
    await expect(attempt).rejects.toThrow(
      cannotListen({ host: '127.0.0.1', port: intake.port }, '--listen', { code: 'EADDRINUSE' }),
    );
  });

  it('that is not of this machine is named', async () => {
    const host = '192.0.2.1';
    await expect(serveIntake({ host })).rejects.toThrow(
      cannotListen({ host, port: 0 }, '--listen', { code: 'EADDRNOTAVAIL' }),
    );
  });
});
