#!/bin/bash
# Checks protocol.pml with Spin, exhaustively (needs spin and gcc; 2 cores, < 8 GB).
#   check.sh        the protocol must hold; without one of the rules that it needs it must fail (1.5 minutes)
#   check.sh full   also: what holds without a rule, because the echo covers it; more changes and crashes (7 minutes)
#   check.sh trail FLAGS...   prints the shortest counterexample, for instance: check.sh trail -DNO_ECHO
# One line each: verdict, expectation, flags, states, time, memory. Exits non-zero if one is not as expected.
for tool in spin gcc; do
  command -v $tool >/dev/null || { echo "check.sh: '$tool' is not on PATH (Debian: apt-get install $tool)" >&2; exit 1; }
done
model=$(realpath "$(dirname "$0")")/protocol.pml
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

build() {               # flags...; breadth-first: the first counterexample is a shortest one
  dir=$(mktemp -d -p "$work"); cd "$dir" &&
  spin -a "$@" "$model" >log 2>&1 && gcc -O2 -DSAFETY -DBFS -DMEMLIM=7000 -o pan pan.c >>log 2>&1
}
one() {                 # holds|fails flags...
  expected=$1; shift
  build "$@" || { cat log; echo "ERROR $*"; return 1; }
  start=$(date +%s); ./pan >out 2>&1
  if   grep -q 'assertion violated' out; then got=fails
  elif grep -q 'invalid end state (' out; then got=stuck
  elif grep -q 'Search not completed' out; then got=unfinished
  elif grep -q 'errors: 0' out; then got=holds
  else got=broken; fi
  test $got = $expected && ok=ok || ok=WRONG
  printf '%-5s %-10s (expected %s) %-48s %10s states %4d s %6.0f MB\n' $ok $got $expected "${*:-as designed}" \
    "$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' out)" $(($(date +%s) - start)) \
    "$(sed -n 's/^ *\([0-9.]*\).*total actual memory usage/\1/p' out)"
  cd /; rm -rf "$dir"; test $ok = ok
}

case $1 in
one)   shift; one "$@"; exit ;;
trail) shift; build "$@" && ./pan >/dev/null; spin -k ./*.trail -B "$@" "$model" | grep -E '^ *(recorder|aggregator|writer|echo|quiet)'; exit ;;
esac

list() {
  cat <<'LIST'
holds
fails -DQUIET_NO_CHANGE
fails -DROWS_BEFORE_REVISION
fails -DBLIND_DESIRED
fails -DHINT_ON_CHANGE_ONLY
fails -DACK_BEFORE_SEND
fails -DSKIP_KNOWN_VERSION
fails -DNO_ECHO
holds -DNO_ECHO -DMAX_CRASHES=0
fails -DNO_ECHO -DMAX_CRASHES=0 -DNO_RECHECK
fails -DECHO_ONCE -DMAX_CRASHES=2 -DAGGREGATORS=1
fails -DECHO_ONCE -DNO_RECHECK -DAGGREGATORS=1
LIST
  test "$1" != full || cat <<'LIST'
holds -DNO_RECHECK
holds -DDESIRED_BEFORE_GET
holds -DBLIND_WRITE
holds -DNO_RECHECK -DDESIRED_BEFORE_GET -DBLIND_WRITE
holds -DCHANGES=3 -DMAX_CRASHES=2 -DWRITERS=1
holds -DCHANGES=3 -DMAX_CRASHES=2 -DAGGREGATORS=1
LIST
}
list "$1" | xargs -P2 -L1 "$(realpath "$0")" one
