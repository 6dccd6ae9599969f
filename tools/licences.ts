/** The texts of SPDX's list. The release imports this file, because the packages of this folder are only found from here. */
export { default as licences } from 'spdx-license-list/full.js';
