import { stderr } from 'node:process';
import { getContainerRuntimeClient } from 'testcontainers';

/** Says in one line what `npm test` leaves out, and whether this machine could run it. */
export async function setup(): Promise<void> {
  const docker = await getContainerRuntimeClient().then(
    () => 'Docker answers here',
    () => 'needs Docker, and no engine answers here',
  );
  stderr.write(
    `Not run by npm test: npm run test:emulator (${docker}), test:e2e, test:argocd, test:lifecycle, test:bundles. .ci/run runs all of them.\n`,
  );
}
