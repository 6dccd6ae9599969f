import type { WdsCredentialsFault } from '#shared/errors.ts';
import {
  KUBECONFIG_ACTIONS,
  KUBECONFIG_KEY_ACTIONS,
  type KubeconfigLocation,
} from './kubeconfig-locations.ts';
import {
  invalidCredentials,
  markedForDeletion,
  NO_REGION,
  noAddress,
  notAllowed,
  notAnswered,
  notDecrypted,
  nothingThere,
  rejectedRequest,
  serviceFails,
  throttled,
} from './messages.ts';

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
  if (/region is missing/i.test(reason)) return NO_REGION;
  return error.code === 'ENOTFOUND' ? noAddress(service, reason) : notAnswered(service, reason);
}

type Rule = readonly [fault: WdsCredentialsFault, applies: boolean, faultAndRemedy: string];

function rules(error: SdkError, location: KubeconfigLocation): readonly Rule[] {
  const { name: service, thing } = SERVICES[location.service];
  const { name, $metadata } = error;
  const reason = error.message.slice(0, MAX_REASON_CHARACTERS);
  const status = $metadata?.httpStatusCode;
  return [
    ['missing', MISSING.includes(name), nothingThere(thing, reason)],
    [
      'missing',
      name === 'InvalidRequestException' && /delet/i.test(reason),
      markedForDeletion(thing),
    ],
    [
      'decryption',
      isOfKms(error),
      notDecrypted({ thing, actions: KUBECONFIG_KEY_ACTIONS }, reason),
    ],
    [
      'denied',
      /^AccessDenied/.test(name),
      notAllowed({ thing, actions: KUBECONFIG_ACTIONS[location.service] }, reason),
    ],
    ['aws-credentials', CREDENTIALS.includes(name), invalidCredentials(name)],
    ['unavailable', THROTTLED.includes(name), throttled(service, name)],
    ['unavailable', status !== undefined && status >= 500, serviceFails(service, name)],
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
    rejectedRequest(`${sdkError.name}: ${sdkError.message.slice(0, MAX_REASON_CHARACTERS)}`),
  ];
  return { fault, faultAndRemedy };
}
