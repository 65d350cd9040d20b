/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_POLICIES_REPLAY_H
#define LB_POLICIES_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/alloc.h"

/*
 * Decision logs of live jobs and simulated runs, decided again: makes each policy's state anew,
 * repeats its calls and compares what it decides with what was decided then, bit for bit.
 *
 * A log is text. Its first line is
 *
 *      lbrun-decisions-1 JOB NODE (the job, as text or, in old logs, as JSON; not read) ~CHECK
 *
 * and each of the others a record of one of the node's workers, by its number in the job and the
 * record's number from 0 on. Numbers are decimal, or hexadecimal where they are not whole (0x3p-1
 * is 1.5); [n] is n numbers:
 *
 *      WORKER N alloc NAME nnode napprank nworker poll_s nparam cores[nnode]
 *              apprank_first[napprank+1] worker_node[nworker] worker_apprank[nworker]
 *              worker_home[nworker] node_first[nnode+1] node_worker[nworker] param[nparam]
 *              and, where any may own no core, talk_only[nworker]
 *      WORKER N observe time_ns interval_ns busy_cores[nworker] owned_cores[nworker]
 *      WORKER N decide  time_ns interval_ns busy_cores[nworker] owned_cores[nworker]
 *              = owned_cores[nworker]
 *              both with iteration_ns behind owned_cores[], where that is known
 *      WORKER N lend NAME nworker nparam param[nparam]
 *      WORKER N lending time_ns occasion worker pool owned[nworker] lent[nworker]
 *              borrowed[nworker] reclaiming[nworker] running[nworker] tasks[nworker]
 *              ready[nworker] held[nworker] = action borrower count
 *              and behind held[], where any worker has ended a task, task_us[nworker]
 *      WORKER N place NAME nworker nparam param[nparam]
 *      WORKER N placing time_ns occasion worker data_worker held tasks[nworker] owned[nworker]
 *              target[nworker] usable[nworker] = worker
 *              and behind usable[], where a worker asks (occasion 5), asked_cores, and, where
 *              any may own no core, talk_only[nworker]
 *      WORKER N refill  (the same) = count
 *      WORKER N costs held next finished assigned[nworker]: what tasks are expected to cost, of
 *              the placing, refill or finished that follows
 *      WORKER N finished finished_ns (as refill): one where it is known how long the task took
 *      WORKER N dpb NAME nprocess nparam param[nparam]
 *      WORKER N moving time_ns compute_s[nprocess] mpi_s[nprocess] cpus[nprocess]
 *              = action cpus[nprocess]
 *      WORKER N pack NAME nprocess nparam param[nparam]
 *      WORKER N migrate NAME nrank nparam param[nparam]
 *      WORKER N load nthread queued copies received running sent = load
 *      WORKER N migrating time_ns rank changes nthread queued copies received running sent
 *              load[nrank] order[nrank] sending[nrank] = nmove rank,ntask[nmove]
 *      WORKER N replicating (the same)
 *      WORKER N regraph (as alloc) = worker[nworker before], -1 or a number now: the graph of
 *              appranks and nodes has changed, and the policy is made anew
 *      WORKER N grow NAME nnode napprank poll_s cores[nnode] home[napprank] nparam param[nparam]
 *      WORKER N watching time_ns interval_ns nworker apprank_first[napprank+1]
 *              worker_node[nworker] busy_cores[nworker] retiring[nworker]
 *              nstarting apprank,node[nstarting]
 *      WORKER N growing (the same) room = nadd apprank,node[nadd] nretire apprank,node[nretire]
 *      WORKER N packing time_ns bound_s time_s[nprocess] = used cpu[nprocess]
 *
 * - In a log of lbsim a worker is a node, an apprank or a machine: whoever the state is made for.
 * - All are of policies/alloc.h, lend.h, place.h, dpb.h, pack.h, migrate.h and grow.h, in the order
 * and meaning given there.
 * - Each line ends with " ~" and eight hexadecimal digits: replay_check() of what is before.
 * - A job that was killed leaves a line incomplete at the end of what a worker wrote; it is counted
 *   and passed over. Anything else that is wrong is an error: a checksum, a record that is missing.
 */
#define REPLAY_MAGIC "lbrun-decisions-1"

/* FNV-1a: any single byte that differs shows. */
static inline uint32_t replay_check(const char *text, size_t size)
{
        uint32_t check = 2166136261u;
        for (size_t i = 0; i < size; i++)
                check = (check ^ (unsigned char)text[i]) * 16777619u;
        return check;
}

enum replay_kind {
        REPLAY_ALLOC,
        REPLAY_LEND,
        REPLAY_PLACE,
        REPLAY_DPB,
        REPLAY_PACK,
        REPLAY_MIGRATE,
        REPLAY_GROW,
        REPLAY_NKIND
};

struct replay_policy {
        const char *name;
        enum replay_kind kind;
        int64_t states, observations, decisions, differences;
};

/* What came of any number of logs; all zero at first. */
struct replay {
        const struct alloc_type *(*find_alloc)(const char *name); /* NULL: alloc_find() */
        struct replay_policy policy[16]; /* in the order in which they were met */
        int32_t npolicy;
        int64_t nfile, nrecord, nincomplete; /* files, records, lines passed over */
        int64_t ndifference;
        char first[1024]; /* the first difference: where it is, decided now, decided then */
};

/* Replay one log and add to the sums. Differences are no failure; a log that is wrong is. */
int replay_file(struct replay *replay, const char *file, struct lb_error *err) LB_MUST_CHECK;

#endif
