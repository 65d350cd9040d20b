/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/node/board.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "real/node/board_impl.h"
#include "real/node/core_state.h"
#include "real/node/futex.h"
#include "real/node/segment.h"

enum { WORKER_MAX = 32767, CORE_MAX = 65536 };

/*
 * In shared memory, in this order: the head, a row a worker, board_cores. What different workers
 * write is on different cache lines.
 */
struct head {
        alignas(64) _Atomic uint32_t epoch;
};

struct row {
        alignas(64) struct board_worker told;
        alignas(64) struct futex bell;
};

struct board {
        struct segment *segment;
        struct head *head;
        struct row *row;
        struct board_cores cores;
};

static size_t board_bytes(const struct board_spec *spec)
{
        return sizeof(struct head) + (size_t)spec->nworker * sizeof(struct row) +
               (size_t)spec->ncore * sizeof(_Atomic uint64_t) +
               (size_t)spec->nworker * (sizeof(_Atomic int32_t) + sizeof(_Atomic uint32_t)) +
               sizeof(struct board_reason);
}

static void lay_out(struct board *board, const struct board_spec *spec)
{
        board->head = segment_memory(board->segment);
        board->row = (struct row *)(board->head + 1);
        board->cores = (struct board_cores){
                .nworker = spec->nworker,
                .worker = spec->worker,
                .ncore = spec->ncore,
                .word = (_Atomic uint64_t *)(board->row + spec->nworker),
        };
        board->cores.at_start = (_Atomic int32_t *)(board->cores.word + spec->ncore);
        board->cores.vote = (_Atomic uint32_t *)(board->cores.at_start + spec->nworker);
        board->cores.reason = (struct board_reason *)(board->cores.vote + spec->nworker);
}

static int check_spec(const struct board_spec *spec, struct lb_error *err)
{
        if (spec->node < 0)
                return lb_error_set(err, "node %" PRId32 " must be 0 or more", spec->node);
        if (spec->nworker < 1 || spec->nworker > WORKER_MAX)
                return lb_error_set(err, "%" PRId32 " workers on node %" PRId32 ": must be 1 to %d",
                                    spec->nworker, spec->node, WORKER_MAX);
        if (spec->ncore < 1 || spec->ncore > CORE_MAX)
                return lb_error_set(err, "%" PRId32 " cores on node %" PRId32 ": must be 1 to %d",
                                    spec->ncore, spec->node, CORE_MAX);
        return 0;
}

enum { PART_SIZE = 16 };

static struct segment_spec segment_of(const struct board_spec *spec, char part[static PART_SIZE])
{
        snprintf(part, PART_SIZE, "%" PRId32, spec->node + spec->beside);
        return (struct segment_spec){
                .job = spec->job,
                .part = part,
                .nmember = spec->nworker,
                .member = spec->worker,
                .bytes = board_bytes(spec),
        };
}

/* Open the segment and wait for the others. */
static int join(struct board *board, const struct board_spec *spec, double timeout_s,
                struct lb_error *err)
{
        char part[PART_SIZE];
        const struct segment_spec segment = segment_of(spec, part);
        board->segment = segment_open(&segment, err);
        if (!board->segment)
                return -1;
        lay_out(board, spec);
        return segment_wait(board->segment, timeout_s, err);
}

/* Everybody tells it of everybody, so that it is there when the board is open. */
static void tell_pids(struct board *board)
{
        for (int32_t w = 0; w < board->cores.nworker; w++)
                atomic_store(&board->row[w].told.pid, segment_pid(board->segment, w));
}

struct board *board_open(const struct board_spec *spec, double timeout_s, struct lb_error *err)
{
        if (check_spec(spec, err) < 0)
                return NULL;
        struct board *board = calloc(1, sizeof(*board));
        if (!board) {
                lb_error_fail(err, "out of memory for the board of node %" PRId32, spec->node);
                return NULL;
        }
        if (join(board, spec, timeout_s, err) == 0) {
                tell_pids(board);
                return board;
        }
        lb_error_prefix(err, "board of node %" PRId32 ": ", spec->node);
        board_close(board);
        return NULL;
}

void board_unname(struct board *board)
{
        segment_unname(board->segment);
}

struct board *board_look(const struct board_spec *spec)
{
        char part[PART_SIZE];
        struct lb_error err;
        struct board_spec looker = *spec;
        looker.worker = 0;
        struct board *board = check_spec(&looker, &err) < 0 ? NULL : calloc(1, sizeof(*board));
        if (!board)
                return NULL;
        const struct segment_spec segment = segment_of(&looker, part);
        board->segment = segment_look(&segment);
        if (board->segment) {
                lay_out(board, &looker);
                return board;
        }
        board_close(board);
        return NULL;
}

struct board_core board_core(const struct board *board, int32_t core)
{
        const struct core found = core_unpack(atomic_load(&board->cores.word[core]));
        return (struct board_core){ .owner = found.owner, .user = found.user };
}

void board_close(struct board *board)
{
        if (!board)
                return;
        segment_close(board->segment);
        free(board);
}

struct board_worker *board_worker(struct board *board, int32_t worker)
{
        return &board->row[worker].told;
}

_Atomic uint32_t *board_epoch(struct board *board)
{
        return &board->head->epoch;
}

uint32_t board_ticket(const struct board *board)
{
        return futex_ticket(&board->row[board->cores.worker].bell);
}

void board_wait(struct board *board, uint32_t ticket, int64_t timeout_ns)
{
        futex_sleep(&board->row[board->cores.worker].bell, ticket, timeout_ns);
}

void board_wake(struct board *board, int32_t worker)
{
        futex_wake(&board->row[worker].bell);
}

int32_t board_dead(struct board *board)
{
        return segment_dead(board->segment);
}

struct board_cores board_cores(struct board *board)
{
        return board->cores;
}

bool board_is_dead(struct board *board, int32_t worker)
{
        return segment_is_dead(board->segment, worker);
}

int board_clean(const char *job)
{
        return segment_clean(job);
}
