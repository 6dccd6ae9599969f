import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { starfold } from './command.ts';

const SCRIPT = starfold(['completion', 'bash']).out;

/** What bash offers for the last of some words. `undefined`: files. */
function offered(words: readonly string[], script = SCRIPT): readonly string[] | undefined {
  const line = ['starfold', ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['--norc', '-c'].concat(`${script}
compopt() { echo "compopt $*"; }
COMP_WORDS=(${line.join(' ')})
COMP_CWORD=${words.length}
_starfold
printf '%s\\n' "\${COMPREPLY[@]}"`),
    { encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [first, ...rest] = stdout.trimEnd().split('\n');
  return first === 'compopt +o default' ? rest.filter((word) => word !== '') : undefined;
}

describe('starfold completion bash', () => {
  it('offers commands', () => {
    const { out } = starfold(['--help']);
    const commands = [...out.matchAll(/^ {2}(\w+) .*/gm)].map(([, name]) => name);
    expect(offered([''])).toEqual(commands);
    expect(offered(['e'])).toEqual(['eval', 'explain']);
    expect(offered(['fleet', ''])).toEqual(['diff', 'help']);
  });

  it('offers the options of the command', () => {
    expect(offered(['get', '--out'])).toEqual(['--output', '--output-watch-events']);
    expect(offered(['fleet', 'diff', '--up'])).toEqual(['--upstream']);
    expect(offered(['--v'])).toEqual(['--version']);
    expect(offered(['get', '-n', 'eval', '--stag'])).toEqual(['--stage']);
  });

  it('offers the values of options, files where they are files, and otherwise nothing', () => {
    expect(offered(['get', '-o', ''])).toEqual(['wide', 'json', 'yaml', 'name']);
    expect(offered(['eval', '--only', 'st'])).toEqual(['status']);
    expect(offered(['eval', '-f', ''])).toBeUndefined();
    expect(offered(['get', '--kubeconfig', ''])).toBeUndefined();
    expect(offered(['get', '-n', ''])).toEqual([]);
    expect(offered(['explain', '--field', ''])).toEqual([]);
    expect(offered(['get', ''])).toEqual([]);
  });

  it('never runs what is written, and can be read twice', () => {
    expect(offered(['get', '$(echo --output >&2)', '--out'], SCRIPT + SCRIPT)).toEqual([
      '--output',
      '--output-watch-events',
    ]);
    expect(offered(['`echo x >&2`'])).toEqual([]);
  });

  it('needs nothing but bash', () => {
    expect(SCRIPT).not.toMatch(/_get_comp_words|_init_completion|eval "/);
  });
});

describe('starfold completion of other shells', () => {
  it('runs the script for bash in zsh', () => {
    const { out } = starfold(['completion', 'zsh']);
    expect(out).toMatch(/^# Completion of starfold for zsh: .*\nautoload .*\n.*bashcompinit\n/);
    expect(out).toContain(SCRIPT.slice(SCRIPT.indexOf('\n')));
  });

  it('has a line for each command and option in fish', () => {
    const lines = starfold(['completion', 'fish']).out.split('\n');
    expect(lines).toContain(
      "complete -c starfold -n '__fish_seen_subcommand_from get' -s A -l all-namespaces -d 'all namespaces'",
    );
    expect(lines).toContain(
      "complete -c starfold -n '__fish_seen_subcommand_from eval' -l only -x -a 'status combined errors' -d 'only workload objects (status), CombinedStatuses (combined), or what has errors (errors)'",
    );
    const nested = lines.filter((line) => line.includes('__fish_seen_subcommand_from diff'));
    expect(nested.some((line) => line.includes(' -l upstream -x '))).toBe(true);
    expect(lines.join('\n')).toContain("-l wec -r -F -d 'objects as this WEC\\'s API server");
  });

  it('is of known shells', () => {
    expect(starfold(['completion', 'csh'])).toMatchObject({ code: 2 });
  });
});
