import { describe, expect, it } from 'vitest';
import { wrongWecs } from '#shared/core/binding/messages.ts';
import { workloadErrorTexts } from '#shared/core/binding/workload-errors.ts';

const wrong = (count: number) =>
  Array.from({ length: count }, (_none, index) => ({
    workload: `wds1/apps/deployments/shop/web${index}`,
    errors: [{ singletonWecs: index + 2 }],
  }));

describe('what a Binding says of its workload objects', () => {
  it('is nothing if nothing is wrong', () => {
    expect(workloadErrorTexts([])).toEqual([]);
    expect(workloadErrorTexts([{ workload: 'w', errors: [] }])).toEqual([]);
  });

  it('names the objects that go to the wrong number of WECs in one text, before everything else', () => {
    const texts = workloadErrorTexts([{ workload: 'a', errors: ['refused'] }, ...wrong(2)]);
    expect(texts).toEqual([
      wrongWecs('deployments.apps shop/web0 (2), deployments.apps shop/web1 (3)'),
      'refused',
    ]);
  });

  it('names four of many, and gives the number of the others', () => {
    const [text] = workloadErrorTexts(wrong(500));
    expect(text).toMatch(/web3 \(5\) and 496 more;/);
    expect(text).not.toContain('web4 ');
  });

  it('lists a hundred errors, and gives the number of the others', () => {
    const errors = Array.from({ length: 103 }, (_none, index) => `error ${index}`);
    const texts = workloadErrorTexts([{ workload: 'a', errors }]);
    expect(texts).toHaveLength(101);
    expect(texts.at(-1)).toBe('and 3 more errors');
    expect(workloadErrorTexts([{ workload: 'a', errors: errors.slice(3) }])).toHaveLength(100);
  });
});
