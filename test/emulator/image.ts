/** LocalStack's last image that needs no token. */
const DEFAULT_IMAGE = 'localstack/localstack:4.14.0';

/** The image of the emulator: what LOCALSTACK_IMAGE says, or else LocalStack's. */
export function emulatorImage(): string {
  // biome-ignore lint/style/noProcessEnv: a test suite is told its emulator as LocalStack's own tools are.
  return process.env['LOCALSTACK_IMAGE'] || DEFAULT_IMAGE;
}
