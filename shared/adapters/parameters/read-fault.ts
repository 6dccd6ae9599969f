import type { WdsCredentialsFault } from '#shared/errors.ts';
import {
  KUBECONFIG_ACTIONS,
  KUBECONFIG_KEY_ACTIONS,
  type KubeconfigLocation,
} from './kubeconfig-locations.ts';

/** Why a kubeconfig could not be read. */
export interface ReadFault {
  readonly fault: WdsCredentialsFault;
  readonly faultAndRemedy: string;
}

const MAX_REASON_CHARACTERS = 500;

const SERVICES = {
  secretsmanager: { name: 'Secrets Manager', thing: 'secret' },
  ssm: { name: 'Parameter Store', thing: 'parameter' },
} as const;

const MISSING = ['ResourceNotFoundException', 'ParameterNotFound', 'ParameterVersionNotFound'];

/** The errors of AWS and the SDK for credentials that are expired, wrong or absent. */
const CREDENTIALS = [
  'ExpiredToken',
  'ExpiredTokenException',
  'RequestExpired',
  'UnrecognizedClientException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'IncompleteSignature',
  'MissingAuthenticationToken',
  'MissingAuthenticationTokenException',
  'CredentialsProviderError',
  'TokenProviderError',
];

const THROTTLED = [
  'ThrottlingException',
  'Throttling',
  'TooManyRequestsException',
  'RequestLimitExceeded',
  'LimitExceededException',
];

/** The relevant members of an error of the AWS SDK. Some are absent on other errors. */
interface SdkError {
  readonly name: string;
  readonly message: string;
  /** The code of a system error. */
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Both services wrap an error of KMS, sometimes as an AccessDeniedException that mentions it. */
function isOfKms({ name, message }: SdkError): boolean {
  return (
    /^KMS|DecryptionFailure|InvalidKeyId/.test(name) ||
    (name === 'AccessDeniedException' && /\bkms\b|ciphertext|customer master key/i.test(message))
  );
}

function withoutAnswer(error: SdkError, service: string): string {
  const reason = error.message || error.code || error.name;
  if (/region is missing/i.test(reason))
    return `no region is known: set AWS_REGION, or name the place by its ARN`;
  if (error.code === 'ENOTFOUND')
    return `there is no address for ${service} (${reason}): check the region, and in a VPC the DNS of its endpoint`;
  return `${service} did not answer (${reason}): a function in a VPC needs a NAT gateway or a VPC endpoint for it; the request is retried`;
}

type Rule = readonly [fault: WdsCredentialsFault, applies: boolean, faultAndRemedy: string];

function rules(error: SdkError, location: KubeconfigLocation): readonly Rule[] {
  const { name: service, thing } = SERVICES[location.service];
  const { name, $metadata } = error;
  const reason = error.message.slice(0, MAX_REASON_CHARACTERS);
  const status = $metadata?.httpStatusCode;
  return [
    [
      'missing',
      MISSING.includes(name),
      `there is no such ${thing} in this region: make it, or correct the place or region (${reason})`,
    ],
    [
      'missing',
      name === 'InvalidRequestException' && /delet/i.test(reason),
      `the ${thing} is marked for deletion: restore it (aws secretsmanager restore-secret), or name another`,
    ],
    [
      'decryption',
      isOfKms(error),
      `it cannot be decrypted: allow the function's role ${KUBECONFIG_KEY_ACTIONS.join(', ')} on the key of the ${thing}, in its key policy too, and enable the key (${reason})`,
    ],
    [
      'denied',
      /^AccessDenied/.test(name),
      `the function may not read it: allow its role ${KUBECONFIG_ACTIONS[location.service].join(', ')} on this ${thing} (${reason})`,
    ],
    [
      'aws-credentials',
      CREDENTIALS.includes(name),
      `AWS does not accept the credentials of this process (${name}): sign in again; in a Lambda function they are renewed automatically, so check that its role exists`,
    ],
    [
      'unavailable',
      THROTTLED.includes(name),
      `${service} receives too many requests (${name}): the request is retried; raise the quota if this continues`,
    ],
    [
      'unavailable',
      status !== undefined && status >= 500,
      `${service} fails (${name}): the request is retried`,
    ],
    ['unavailable', status === undefined, withoutAnswer(error, service)],
  ];
}

/**
 * Returns why a kubeconfig could not be read, from the error of the AWS SDK or of Powertools. Names, messages and status codes
 * are those of the references of Secrets Manager's GetSecretValue, Parameter Store's GetParameter and KMS's Decrypt. Their
 * messages contain names of principals and resources, never content.
 */
export function readFaultOf(error: unknown, location: KubeconfigLocation): ReadFault {
  // Powertools wraps the errors of the SDK.
  const thrown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const sdkError = thrown as SdkError; // The SDK throws errors; members that may be absent are optional.
  const [fault, , faultAndRemedy] = rules(sdkError, location).find(([, applies]) => applies) ?? [
    'refused-by-aws',
    true,
    `AWS rejects the request (${sdkError.name}: ${sdkError.message.slice(0, MAX_REASON_CHARACTERS)}): check the place`,
  ];
  return { fault, faultAndRemedy };
}
