import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IntakeError } from '#local/intake/intake-error.ts';
import { createHttpEventQueue } from '#shared/adapters/http/event-queue.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { pairIn, serveIntake } from './served.ts';

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
    await expect(strangers.send([{ body: 'y' }])).rejects.toThrow(
      /SELF_SIGNED_CERT.*give the certificate of its authority with caFile/,
    );
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

  it.each([
    [
      'a certificate that is not there',
      { cert: undefined },
      /--tls-cert .*cannot be read \(ENOENT\)/,
    ],
    ['a certificate that is none', { cert: 'x' }, /--tls-cert .*cannot be used .* in PEM/],
    ['a key that is none', { key: 'x' }, /--tls-key .*cannot be used .* in PEM/],
    ['the key of another', { key: selfSigned().key }, /--tls-key .* is not the key of the certif/],
  ])('are not offered with %s, which is named', async (_fault, given, says) => {
    await using place = await serveIntake();
    const pair: { cert?: string | undefined; key: string } = { ...selfSigned(), ...given };
    const [certFile, keyFile] = [join(place.folder, 'tls.crt'), join(place.folder, 'tls.key')];
    if (pair.cert !== undefined) writeFileSync(certFile, pair.cert);
    writeFileSync(keyFile, pair.key);
    const attempt = serveIntake({ tls: { certFile, keyFile } });
    await expect(attempt).rejects.toThrow(IntakeError);
    await expect(attempt).rejects.toThrow(says);
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
    expect(faults[0]).toMatch(/--tls-cert .*PEM.*; until then, the former certificate is used/);
    expect(await isOffered(first)).toBe(true);
    writeFileSync(tls.certFile, second.cert);
    await expect.poll(() => faults.at(-1), WAITING).toMatch(/tls.key: it is not the key of the/);
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
      `cannot listen on 127.0.0.1:${intake.port} (EADDRINUSE): the port is in use`,
    );
  });

  it('that is not of this machine is named', async () => {
    await expect(serveIntake({ host: '192.0.2.1' })).rejects.toThrow(
      /192.0.2.1:0 \(EADDRNOTAVAIL\): this machine has no such address/,
    );
  });
});
