/* How a fold in shards goes on where a late one stopped, checked in every interleaving by Spin (check.sh runs it). It stands
 * beside protocol.pml, which has one row and no parts.
 *
 *   dirty messages -> aggregators -> parts (one for each shard, below the layout it was folded in) -> HEAD
 *
 * A message names the shards that have changed; that of a late aggregation names the shards that are left, and the layout.
 * Checked: when nothing is queued and nobody works, HEAD has the newest version of every row; and nothing gets stuck.
 * There are two shards with a row each, and two layouts; a row that has changed has version 1, the layout may change too.
 * A layout is known by its number of shards and its era; here an era is named by the revision that it follows. */
#ifndef MAX_CRASHES
#define MAX_CRASHES 1
#endif
#ifndef LATE
#define LATE 3          /* how often an aggregation may be late */
#endif
#ifndef RELAYOUTS
#define RELAYOUTS 2     /* how often the rows are divided in another way */
#endif
#define ALL 3           /* a set of shards is a bit for each */
#define has(set, s) (((set) >> (s)) & 1)

bit row[2];             /* the version of each row */
byte kind;              /* how the rows are to be divided now: 0 or 1 (the number of shards) */
byte head_rev = 1, head_kind, head_era = 1;
bit head[2];            /* what HEAD's result says of each row */

/* Parts by era (a revision), shard; kind: how the rows were divided (its fingerprint); rev: its revision, 0: none */
#define ERAS 16
typedef Part { byte kind; byte rev; bit version }
typedef Era { Part part[2] }
Era era[ERAS];

/* Messages: shards that have changed; era 0: rows of any layout, else what is left in that layout */
chan dirty = [8] of { byte, byte, byte };
byte busy, crashes, late, relayouts;

proctype aggregator() {
  byte set, of_era, of_kind, rev, k, e, todo, s, parts_rev[2], done, done_e, done_k;
  bit found[2], stored;
end: do
  :: atomic { dirty?set,of_era,of_kind -> busy++; done = 0; done_e = 0; done_k = 0; stored = 0 };
again: rev = 0;
     d_step { rev = head_rev; k = kind; e = (k == head_kind -> head_era : head_rev + 1); assert(e < ERAS) };
     d_step {           /* reads the parts */
       todo = set;
#ifndef TRUST_OTHER_LAYOUT
       if :: of_era && (of_era != e || of_kind != k) -> todo = ALL :: else fi;
#endif
       if :: done && done_e == e && done_k == k -> todo = todo & ~done :: else -> done = 0 fi;
       done_e = e; done_k = k; s = 0;
       do
       :: s < 2 ->
           parts_rev[s] = era[e].part[s].rev; found[s] = era[e].part[s].version;
           if :: !era[e].part[s].rev || era[e].part[s].kind != k -> todo = todo | (1 << s) :: else fi;
           s++
       :: else -> break
       od; s = 0 };
     do
     :: todo ->
         if
         :: stored && late < LATE ->
#ifdef ACK_BEFORE_SEND
             atomic { late++; busy-- };
             if :: crashes < MAX_CRASHES -> atomic { crashes++; goto end } :: skip fi;
             dirty!todo,e,k; goto end
#elif defined(FORGET_LAYOUT)
             atomic { late++; dirty!todo,0,0; busy-- }; goto end
#else
             /* the message is sent, then mine is acknowledged; a crash between the two has mine told again */
             if
             :: atomic { late++; dirty!todo,e,k; busy-- }; goto end
             :: atomic { crashes < MAX_CRASHES -> crashes++; late++; dirty!todo,e,k; dirty!set,of_era,of_kind; busy-- };
                goto end
             fi
#endif
         :: else
         fi;
         s = (has(todo, 0) -> 0 : 1);
         found[s] = row[s];                                     /* reads the row */
         d_step {                                               /* puts the part on the revision read */
           if
           :: era[e].part[s].rev == parts_rev[s] ->
               era[e].part[s].rev++; era[e].part[s].kind = k; era[e].part[s].version = found[s];
               parts_rev[s] = era[e].part[s].rev;
               todo = todo & ~(1 << s); done = done | (1 << s); stored = 1; s = 0
           :: else -> s = 2
           fi };
         if :: s == 2 -> s = 0; goto again :: else fi
     :: else -> break
     od;
     s = 0;
     d_step {           /* puts the head on the revision read */
       if
       :: head_rev == rev ->
           head_rev++; head_kind = k; head_era = e; head[0] = found[0]; head[1] = found[1]; s = 0
       :: else -> s = 2
       fi };
     if :: s == 2 -> s = 0; goto again :: else fi;
     if
     :: atomic { busy-- }
     :: atomic { crashes < MAX_CRASHES -> crashes++; dirty!set,of_era,of_kind; busy-- }
     fi
  od
}

/* A row changes, then it is told; the rows are divided in another way, then that is told (without any row). */
proctype change(byte s) { atomic { row[s] = 1; busy++ }; atomic { dirty!(1 << s),0,0; busy-- } }
proctype relayout() {
  do
  :: relayouts < RELAYOUTS -> atomic { kind = 1 - kind; relayouts++; busy++ }; atomic { dirty!0,0,0; busy-- }
  :: break
  od
}

init {
  atomic {
    era[1].part[0].rev = 1; era[1].part[1].rev = 1;
    run change(0); run change(1); run relayout(); run aggregator(); run aggregator()
  }
  d_step {
    row[0] && row[1] && busy == 0 && len(dirty) == 0 ->
    assert(head[0] && head[1] && head_kind == kind)
  }
}
