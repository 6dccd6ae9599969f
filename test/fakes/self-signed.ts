import { type BinaryLike, generateKeyPairSync, sign } from 'node:crypto';

/** A certificate that vouches for itself, and its key, in PEM. */
export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

/** Tags of ASN.1 (ITU-T X.690). */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;

const OID = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
} as const;

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  // Clients in Go accept only the shortest form (ITU-T X.690, section 10.1).
  const long = length < 0x100 ? [0x81, length] : [0x82, Math.floor(length / 0x100), length % 0x100];
  const head = length < 0x80 ? [tag, length] : [tag, ...long];
  return Buffer.concat([Buffer.from(head), content]);
}

function oid(hex: string): Buffer {
  return der(TAG.oid, Buffer.from(hex, 'hex'));
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(TAG.sequence, ...parts);
}

function time(text: string): Buffer {
  return der(TAG.time, Buffer.from(text));
}

function extension(hex: string, ...content: readonly Uint8Array[]): Buffer {
  return sequence(oid(hex), der(TAG.octets, sequence(...content)));
}

/**
 * Makes a certificate of 127.0.0.1 and localhost that vouches for itself (RFC 5280, section 4.1), and its key.
 *
 * @param until when it expires, as `YYYYMMDDhhmmssZ`
 */
export function selfSigned(until = '20991231235959Z'): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const commonName = sequence(oid(OID.commonName), der(TAG.utf8, Buffer.from('starfold test')));
  const name = sequence(der(TAG.set, commonName));
  const names = [
    der(TAG.ipAddress, Buffer.from([127, 0, 0, 1])),
    der(TAG.dnsName, Buffer.from('localhost')),
  ];
  const isAuthority = der(TAG.boolean, Buffer.from([0xff]));
  const content: BinaryLike = sequence(
    der(TAG.version, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, Buffer.from([1])),
    algorithm,
    name,
    sequence(time('20250101000000Z'), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      TAG.extensions,
      sequence(
        extension(OID.basicConstraints, isAuthority),
        extension(OID.subjectAltName, ...names),
      ),
    ),
  );
  const signature = sign('sha256', content, privateKey);
  const whole = sequence(content, algorithm, der(TAG.bits, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
