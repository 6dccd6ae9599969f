import { getContainerRuntimeClient, ImageName } from '#tools/containers.ts';
import { emulatorImage } from './image.ts';

/** An error of which nothing but its message is printed. */
function fault(message: string): Error {
  const error = new Error(message);
  error.stack = message;
  return error;
}

/** Ends the run with one line when nothing can run the emulator, or its image cannot be had. */
export async function setup(): Promise<void> {
  const image = emulatorImage();
  const engine = await getContainerRuntimeClient().catch(() => undefined);
  if (engine === undefined)
    throw fault(
      `no container engine answers to run ${image}: start one (as root: dockerd), or set DOCKER_HOST`,
    );
  const name = ImageName.fromString(image);
  const isHad = await engine.image.pull(name).then(
    () => true,
    () => false,
  );
  if (!isHad)
    throw fault(
      `${image} cannot be pulled: run infra/local/emulator/build-image.sh and set LOCALSTACK_IMAGE to the name that it prints`,
    );
}
