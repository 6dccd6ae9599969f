/** Encoders of pictures. Scripts import this file, because the packages of this folder are only found from here. */
export { default as gifenc } from 'gifenc';
export { PNG } from 'pngjs';
