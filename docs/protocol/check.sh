#!/bin/bash
# Checks protocol.pml with Spin, exhaustively (needs spin and gcc; 2 cores, < 6 GB).
#   check.sh        the protocol must hold; without one of the rules that it needs it must fail (1 minute)
#   check.sh full   also: what holds without a rule, because the echo covers it; more changes and crashes (about 6 minutes)
#   check.sh trail FLAGS...   prints the shortest counterexample, for instance: check.sh trail -DNO_ECHO
# One line each: verdict, expectation, flags, states, time, memory. Exits non-zero if one is not as expected.
for tool in spin gcc; do
  command -v $tool >/dev/null || { echo "check.sh: '$tool' is not on PATH (Debian: apt-get install $tool)" >&2; exit 1; }
done
folder=$(realpath "$(dirname "$0")")
model=$folder/protocol.pml
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

build() {               # flags... (-DLATE: of shards.pml); breadth-first: the first counterexample is a shortest one
  case $* in *-DLATE*) model=$folder/shards.pml ;; esac
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
  printf '%-5s %-10s (expected %s) %-84s %10s states %4d s %6.0f MB\n' $ok $got $expected "${*:-as designed}" \
    "$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' out)" $(($(date +%s) - start)) \
    "$(sed -n 's/^ *\([0-9.]*\).*total actual memory usage/\1/p' out)"
  cd /; rm -rf "$dir"; test $ok = ok
}

case $1 in
one)   shift; one "$@"; exit ;;
trail) shift; build -DNO_SYMMETRY "$@" && ./pan >/dev/null; spin -k ./*.trail -B -DNO_SYMMETRY "$@" "$model" | grep -E '^ *(recorder|aggregator|writer|echo|user|quiet)'; exit ;;
esac

list() {
  cat <<'LIST'
holds -DAGGREGATORS=1
holds -DWRITERS=1
holds -DFLIP -DCHANGES=3 -DMAX_CRASHES=0 -DAGGREGATORS=1
holds -DFLIP -DCHANGES=3 -DMAX_CRASHES=0 -DWRITERS=1
holds -DFLIP -DCHANGES=1 -DEDITS=1 -DAGGREGATORS=1
fails -DFLIP -DCHANGES=3 -DMAX_CRASHES=0 -DAGGREGATORS=1 -DNO_INTENT
holds -DFLIP -DCHANGES=3 -DAGGREGATORS=1 -DWRITERS=1 -DNO_INTENT
fails -DFLIP -DMAX_CRASHES=0 -DAGGREGATORS=1 -DWRITERS=1 -DNO_INTENT -DRECORD_AFTER_CHECK
holds -DFLIP -DCHANGES=3 -DMAX_CRASHES=0 -DAGGREGATORS=1 -DRECORD_AFTER_CHECK
fails -DFLIP -DCHANGES=3 -DMAX_CRASHES=0 -DAGGREGATORS=1 -DBLIND_APPLIED
fails -DFLIP -DCHANGES=3 -DMAX_CRASHES=0 -DAGGREGATORS=1 -DWRITERS=1 -DAPPLIED_BEFORE_HEAD
fails -DFLIP -DCHANGES=3 -DMAX_CRASHES=0 -DWRITERS=1 -DQUIET_NO_CHANGE
fails -DWRITERS=1 -DROWS_BEFORE_REVISION
fails -DWRITERS=1 -DBLIND_DESIRED
fails -DWRITERS=1 -DHINT_ON_CHANGE_ONLY
fails -DWRITERS=1 -DACK_BEFORE_SEND
fails -DWRITERS=1 -DSKIP_KNOWN_VERSION
fails -DAGGREGATORS=1 -DNO_ECHO
holds -DAGGREGATORS=1 -DNO_ECHO -DMAX_CRASHES=0
fails -DAGGREGATORS=1 -DECHO_ONCE -DMAX_CRASHES=2
holds -DLATE=1 -DRELAYOUTS=1 -DMAX_CRASHES=0
LIST
  test "$1" != full || cat <<'LIST'
holds -DFLIP -DCHANGES=3 -DAGGREGATORS=1
holds -DFLIP -DCHANGES=1 -DEDITS=2 -DMAX_CRASHES=0 -DAGGREGATORS=1
holds -DFLIP -DCHANGES=1 -DEDITS=1 -DMAX_CRASHES=2 -DAGGREGATORS=1
holds -DFLIP -DCHANGES=3 -DMAX_CRASHES=0 -DAGGREGATORS=1 -DNO_RECHECK
holds -DFLIP -DCHANGES=3 -DMAX_CRASHES=0 -DAGGREGATORS=1 -DNO_CONFIRM
holds -DFLIP -DCHANGES=3 -DMAX_CRASHES=0 -DAGGREGATORS=1 -DBLIND_WRITE
holds -DAGGREGATORS=1 -DHINT_ALWAYS
fails -DLATE=1 -DRELAYOUTS=2 -DMAX_CRASHES=0 -DTRUST_OTHER_LAYOUT
LIST
}
list "$1" | xargs -P2 -L1 "$(realpath "$0")" one
