import { expect, it } from 'vitest';
import {
  emptyValue,
  IDENTITY_FORM,
  missingOption,
  notACluster,
  ONE_STANDARD_INPUT,
  SEE_HELP,
  TIME_FORM,
  WEC_FORM,
} from '#local/cli/terminal/option-messages.ts';

it('says in these words what is wrong with an option', () => {
  expect([
    WEC_FORM,
    notACluster('a/b/c'),
    TIME_FORM,
    IDENTITY_FORM,
    ONE_STANDARD_INPUT,
    missingOption('--context <context>'),
    emptyValue('--stage <stage>'),
    SEE_HELP,
  ]).toEqual([
    'Write NAME=FILE, such as wec1=wec1.yaml.',
    'a/b/c does not name a cluster: write the name of a WEC, or NAMESPACE/NAME of a Fleet Cluster.',
    'Write a time of RFC 3339 that exists, such as 2026-11-21T12:00:00Z.',
    'Give 1 to 512 printable ASCII characters.',
    'standard input (-) can be read only once: name it once',
    "error: required option '--context <context>' not specified",
    "error: option '--stage <stage>' has an empty value: give one, or leave the option out",
    '(add --help for help)',
  ]);
});
