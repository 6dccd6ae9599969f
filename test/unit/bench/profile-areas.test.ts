import { expect, it } from 'vitest';
import { AREA_NAMES, areaOf, samplesOf, sharesOf } from '#test/bench/profile-areas.ts';

/** As `perf script -F comm,ip,sym` prints them. */
const SCRIPT = `MainThread 
\tffffffff8 ext4_da_write_end
\t    20ef3 sqlite3_step
\t    73978 node::sqlite::StatementSync::Run
\t    16361 Builtins_CallApiCallbackOptimizedNoProfiling
\t7f4f502e4 [unknown]

MainThread 
\t    16dc1 v8::internal::JsonParser<unsigned char>::ParseJsonObject
\t    12ab3 v8::internal::Builtin_JsonParse
\t    16361 Builtins_CEntry_Return1_ArgvOnStack_BuiltinExit
\t7f4f502e4 [unknown]
\t    16149 uv__stream_io

MainThread 
\t7f4f502e4 [unknown]
\t    16149 uv__stream_io

V8Worker 
\t    22222 v8::internal::compiler::turboshaft::Pipeline

`;

it('reads the samples of perf', () => {
  expect(samplesOf(SCRIPT).map(({ thread, stack }) => [thread, stack[0]])).toEqual([
    ['MainThread', 'ext4_da_write_end'],
    ['MainThread', 'v8::internal::JsonParser<unsigned char>::ParseJsonObject'],
    ['MainThread', '[unknown]'],
    ['V8Worker', 'v8::internal::compiler::turboshaft::Pipeline'],
  ]);
});

it('counts for an area what the innermost JavaScript has called, and nothing that has called JavaScript', () => {
  expect(samplesOf(SCRIPT).map(areaOf)).toEqual([
    'SQLite, with its files',
    'JSON',
    'JavaScript',
    'compiling and garbage, on other threads',
  ]);
  const read = ['sock_recvmsg', 'uv__read', 'uv__stream_io', 'uv_run'];
  expect(areaOf({ thread: 'MainThread', stack: read })).toBe('sockets and HTTP');
});

it('gives the shares of all areas, also of those without a sample', () => {
  const shares = sharesOf(samplesOf(SCRIPT));
  expect([...shares.keys()]).toEqual(AREA_NAMES);
  expect(shares.get('JSON')).toBe(0.25);
  expect(shares.get('garbage')).toBe(0);
});
