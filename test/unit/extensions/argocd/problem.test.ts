import { describe, expect, it } from 'vitest';
import { bodyOf, ProblemError } from '#extensions/argocd/problem.ts';

function problemOf(code: number, text: string) {
  try {
    return bodyOf({ code, text }, 'starfold');
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
}

function status(code: number, message: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'Status', code, message });
}

describe('an answer', () => {
  it('is an object of the API', () => {
    expect(problemOf(200, '{"apiVersion":"v1","a":1}')).toEqual({ apiVersion: 'v1', a: 1 });
  });

  it('may say that there is no such object', () => {
    expect(problemOf(404, status(404, 'not found'))).toBeUndefined();
  });

  it.each([
    [401, status(401, ''), 'bad-token'],
    [403, status(403, 'User "x" cannot get'), 'forbidden'],
    [413, status(413, 'too large'), 'too-large'],
    [429, status(429, 'wait'), 'busy'],
    [503, status(503, 'wait'), 'busy'],
    [500, status(500, ''), 'failed'],
    [401, 'Unauthorized extension request', 'not-allowed'],
    [404, 'Extension not found', 'not-configured'],
    [200, '<!DOCTYPE html>', 'not-configured'],
    [200, '{"message":"hello"}', 'not-configured'],
    [429, '{"message":"Too Many Requests"}', 'busy'],
    [502, '', 'unreachable'],
    [503, 'upstream', 'unreachable'],
    [400, 'Invalid headers', 'failed'],
    [500, '{', 'failed'],
  ])('%i with %s is the problem %s', (code, text, type) => {
    const problem = problemOf(code, text);
    expect(problem).toMatchObject({ type, message: expect.stringMatching(/\S/) });
  });

  it('quotes what the API says, and not more than a little of what is not the API', () => {
    expect(problemOf(403, status(403, 'User "x" cannot get'))).toMatchObject({
      message: 'User "x" cannot get',
    });
    expect(problemOf(400, 'x'.repeat(10_000))).toMatchObject({
      message: `Argo CD answers 400: ${'x'.repeat(300)}`,
    });
  });
});
