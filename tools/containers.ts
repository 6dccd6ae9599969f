/** Containers on a Docker engine. Tests import this file, because the packages of this folder are only found from here. */
export { LocalstackContainer } from '@testcontainers/localstack';
export { getContainerRuntimeClient, ImageName, Wait } from 'testcontainers';
