/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/real/node/node_world.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "real/node/board.h"

enum { PATIENCE_S = 60 };

struct order {
        enum world_order order;
        int32_t argument;
};

/* What a worker process has. */
struct worker {
        const struct cores_type *type;
        struct board *board;
        struct cores *cores;
        int32_t number;
        uint32_t ticket;
};

const struct cores_type *world_manager(int argc, char **argv)
{
        const char *name = argc > 1 ? argv[1] : "builtin";
        if (strcmp(name, "dlb") != 0)
                return &cores_builtin;
        if (getenv("LBRUN_DLB_LIB"))
                return &cores_dlb;
        printf("no LBRUN_DLB_LIB: skipped\n");
        return NULL;
}

void world_job(char job[static 32])
{
        static int count;
        snprintf(job, 32, "test-%d-%d", (int)getpid(), count++);
}

static int32_t do_on_board(struct worker *w, const struct order *o)
{
        switch (o->order) {
        case WORLD_DEAD:
                return board_dead(w->board);
        case WORLD_TELL_READY:
                board_worker(w->board, w->number)->ready = o->argument;
                return 0;
        case WORLD_TELL_TARGET:
                board_worker(w->board, w->number)->target = o->argument;
                return 0;
        case WORLD_TICKET:
                w->ticket = board_ticket(w->board);
                return 0;
        case WORLD_WAIT:
                board_wait(w->board, w->ticket, -1);
                return 0;
        default:
                return -1;
        }
}

static int32_t tell_figures(const struct worker *w, int32_t *figure)
{
        const struct board_worker *row = board_worker(w->board, w->number);
        figure[0] = row->owned;
        figure[1] = row->lent;
        figure[2] = row->borrowed;
        figure[3] = row->reclaiming;
        return 0;
}

static int32_t do_order(struct worker *w, const struct order *o, int32_t *core)
{
        int32_t a = o->argument;
        switch (o->order) {
        case WORLD_LEND:
                return (int32_t)w->type->lend(w->cores, a);
        case WORLD_GIVEBACK:
                return (int32_t)w->type->giveback(w->cores, a);
        case WORLD_BORROW:
                return w->type->borrow(w->cores, a, core);
        case WORLD_RECLAIM:
                return w->type->reclaim(w->cores, a, core);
        case WORLD_USABLE:
                return w->type->usable(w->cores, a);
        case WORLD_MUST_RETURN:
                return w->type->must_return(w->cores, a);
        case WORLD_DROP:
                return (int32_t)w->type->drop(w->cores, a);
        case WORLD_CLAIM:
                return w->type->claim(w->cores, a, core);
        case WORLD_RETURNED:
                return w->type->returned(w->cores, a, core);
        case WORLD_POOL:
                return w->type->pool(w->cores);
        case WORLD_OWNER:
                return w->type->owner(w->cores, a);
        case WORLD_USER:
                return w->type->user(w->cores, a);
        case WORLD_BURY:
                w->type->bury(w->cores, a);
                return 0;
        case WORLD_FIGURES:
                return tell_figures(w, core);
        default:
                return do_on_board(w, o);
        }
}

static void serve(struct worker *w, int channel)
{
        struct order order;
        while (recv(channel, &order, sizeof(order), 0) == sizeof(order)) {
                if (order.order == WORLD_LEAVE)
                        return;
                struct world_reply reply = { 0 };
                struct lb_error err;
                for (int32_t i = 0; i < WORLD_CORES; i++)
                        reply.core[i] = -2;
                reply.value = do_order(w, &order, reply.core);
                if (w->type->check(w->cores, &err) < 0)
                        snprintf(reply.broken, sizeof(reply.broken), "%.255s", err.text);
                if (send(channel, &reply, sizeof(reply), 0) != sizeof(reply))
                        return;
        }
}

static int run_worker(const struct world *world, int32_t number, const int32_t *owned)
{
        struct lb_error err;
        const struct board_spec board_spec = {
                .job = world->job,
                .nworker = world->nworker,
                .worker = number,
                .ncore = world->ncore,
        };
        struct worker w = { .type = world->type, .number = number };
        w.board = board_open(&board_spec, PATIENCE_S, &err);
        if (!w.board)
                return 1;
        const struct cores_spec cores_spec = {
                .board = w.board,
                .job = world->job,
                .ncore = world->ncore,
                .nworker = world->nworker,
                .worker = number,
                .owned = owned,
        };
        w.cores = world->type->open(&cores_spec, &err);
        if (!w.cores) {
                fprintf(stderr, "worker %d: %s\n", (int)number, err.text);
                return 2;
        }
        serve(&w, world->channel[number]);
        world->type->close(w.cores);
        board_close(w.board);
        return 0;
}

static void start_worker(struct world *world, int32_t number, const int32_t *owned)
{
        int pair[2];
        const struct timeval patience = { .tv_sec = PATIENCE_S };
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
        setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                for (int32_t w = 0; w < number; w++)
                        close(world->channel[w]);
                close(pair[0]);
                world->channel[number] = pair[1];
                _exit(run_worker(world, number, owned));
        }
        close(pair[1]);
        world->channel[number] = pair[0];
        world->pid[number] = pid;
}

void world_start(struct world *world, const struct cores_type *type, int32_t nworker,
                 const int32_t *owned)
{
        *world = (struct world){ .type = type, .nworker = nworker };
        world_job(world->job);
        for (int32_t w = 0; w < nworker; w++)
                world->ncore += owned[w];
        for (int32_t w = 0; w < nworker; w++)
                start_worker(world, w, owned);
        for (int32_t w = 0; w < nworker; w++)
                world_ask(world, w, WORLD_POOL, 0);
}

void world_begin(struct world *world, int32_t worker, enum world_order order, int32_t argument)
{
        const struct order o = { .order = order, .argument = argument };
        if (send(world->channel[worker], &o, sizeof(o), MSG_NOSIGNAL) != sizeof(o))
                fail_msg("worker %d has ended", (int)worker);
}

struct world_reply world_end(struct world *world, int32_t worker)
{
        struct world_reply reply = { 0 };
        if (recv(world->channel[worker], &reply, sizeof(reply), 0) != sizeof(reply))
                fail_msg("worker %d does not answer", (int)worker);
        if (reply.broken[0])
                fail_msg("worker %d: %s", (int)worker, reply.broken);
        return reply;
}

struct world_reply world_ask(struct world *world, int32_t worker, enum world_order order,
                             int32_t argument)
{
        world_begin(world, worker, order, argument);
        return world_end(world, worker);
}

int32_t world_value(struct world *world, int32_t worker, enum world_order order, int32_t argument)
{
        return world_ask(world, worker, order, argument).value;
}

void world_kill(struct world *world, int32_t worker)
{
        kill(world->pid[worker], SIGKILL);
        waitpid(world->pid[worker], NULL, 0);
        world->pid[worker] = 0;
        close(world->channel[worker]);
}

int world_segments(const char *job)
{
        char ours[80], dlbs[80];
        int count = 0, length = snprintf(ours, sizeof(ours), "lbrun-%d-%s-", (int)geteuid(), job);
        snprintf(dlbs, sizeof(dlbs), "_lb%s_", job);
        DIR *directory = opendir("/dev/shm");
        assert_non_null(directory);
        for (const struct dirent *file = readdir(directory); file; file = readdir(directory))
                count += strncmp(file->d_name, ours, (size_t)length) == 0 ||
                         strstr(file->d_name, dlbs) != NULL;
        closedir(directory);
        return count;
}

static void end_worker(struct world *world, int32_t worker)
{
        int status = -1;
        assert_int_equal(waitpid(world->pid[worker], &status, 0), world->pid[worker]);
        assert_int_equal(status, 0);
        close(world->channel[worker]);
        world->pid[worker] = 0;
}

void world_leave(struct world *world, int32_t worker)
{
        world_begin(world, worker, WORLD_LEAVE, 0);
        end_worker(world, worker);
}

void world_stop(struct world *world)
{
        for (int32_t w = 0; w < world->nworker; w++)
                if (world->pid[w])
                        world_begin(world, w, WORLD_LEAVE, 0);
        for (int32_t w = 0; w < world->nworker; w++)
                if (world->pid[w])
                        end_worker(world, w);
        assert_int_equal(world_segments(world->job), 0);
}
