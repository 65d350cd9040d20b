/* SPDX-License-Identifier: BSD-3-Clause */
/* Start and stop of a process. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "real/runtime/start.h"
#include "base/file.h"
#include "policies/alloc.h"
#include "real/node/estate.h"

/* lbrun(1) looks for this in a program, to know that it is built for the runtime and for which MPI.
 */
__attribute__((section(".lbrun"), used)) const char lbrun_built_for[] =
    "lbrun abi=1 mpi=" LBRUN_MPI;

struct process lbrun_process = { .lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP };

/*
 * The CPUs that the keeper was started on, and has: an OpenMP library of the program binds its
 * first thread as it is loaded (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY), and every thread
 * that is started from here on would be there.
 */
static void take_cpus(void)
{
        cpu_set_t given, own, both;
        if (!getenv("LBRUN_JOB") || sched_getaffinity(getppid(), sizeof(given), &given) < 0 ||
            sched_getaffinity(0, sizeof(own), &own) < 0)
                return;
        CPU_AND(&both, &given, &own);
        if (CPU_EQUAL(&both, &own) && !CPU_EQUAL(&given, &own))
                (void)sched_setaffinity(0, sizeof(given), &given);
}

static void start_mpi(struct process *p, int *argc, char ***argv)
{
        int initialised, level;
        take_cpus();
        p->pid = getpid();
        MPI_Initialized(&initialised);
        if (!initialised) {
                MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
                p->mpi_ours = true;
        }
        MPI_Query_thread(&level);
        MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
        if (level < MPI_THREAD_MULTIPLE)
                fail("lbrun_start", "MPI was initialised without MPI_THREAD_MULTIPLE; let "
                                    "lbrun_start() initialise it, or ask for that level");
}

/* What MPI_Comm_spawn() has started is of no job, but has its parent's environment. */
static bool is_spawned(void)
{
        MPI_Comm parent;
        MPI_Comm_get_parent(&parent);
        return parent != MPI_COMM_NULL;
}

static void read_job(struct process *p)
{
        struct lb_error err;
        char *text = is_spawned() ? NULL : job_from_environment();
        int size;
        p->alone = !text;
        p->job = text ? job_parse(text, &err) : job_alone(&err);
        if (!p->job)
                fail("lbrun_start", "%s%s", text ? "LBRUN_JOB: " : "", err.text);
        free(text);
        MPI_Comm_dup(p->alone ? MPI_COMM_SELF : MPI_COMM_WORLD, &p->all);
        MPI_Comm_size(p->all, &size);
        if (size != p->job->nworker)
                fail("lbrun_start",
                     "started with %d ranks, its job is of %d; start the program with lbrun, not "
                     "with "
                     "mpirun",
                     size, p->job->nworker);
}

/* With --check, tasks run one at a time, all at home. */
static bool migrates(const struct process *p)
{
        return job_migrates(p->job) && p->job->napprank > 1 && p->job->param[JOB_CHECK] == 0;
}

_Static_assert((int)JOB_PLACE_MAX <= (int)WHERE_PLACE_MAX, "job_set_edges() refuses what has more");

/* Who this process is. */
static void find_place(struct process *p)
{
        const struct lb_shape *shape = &p->job->shape;
        p->worker = p->alone ? 0 : p->job->rank_worker[p->rank];
        p->apprank = shape->worker_apprank[p->worker];
        p->node = shape->worker_node[p->worker];
        p->home = shape->worker_home[p->worker];
        p->place = p->worker - shape->apprank_first[p->apprank];
        p->nplace = shape->apprank_first[p->apprank + 1] - shape->apprank_first[p->apprank];
        if (migrates(p))
                p->nplace = shape->napprank;
        p->virtual_cores = p->job->virtual_nodes && !p->job->bound;
        p->ncore = shape->cores[p->node];
        for (int32_t i = shape->node_first[p->node]; i < shape->node_first[p->node + 1]; i++)
                if (shape->node_worker[i] == p->worker)
                        p->local = i - shape->node_first[p->node];
        MPI_Comm all = p->alone ? MPI_COMM_WORLD : p->all;
        MPI_Comm_split(all, p->home ? 0 : MPI_UNDEFINED, p->alone ? p->rank : p->apprank,
                       &p->world);
}

/* Apprank 0 writes them at the job's end, maybe on a node whose files are not lbrun's. */
static void check_files(const struct process *p)
{
        const struct job *job = p->job;
        const struct {
                const char *option, *path;
        } file[] = { { "report", job->report },
                     { "loads", job->loads },
                     { "trace", job->trace },
                     { "tasks", job->tasks } };
        struct lb_error err;
        if (p->alone || p->apprank != 0 || !p->home || job->virtual_nodes)
                return;
        for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++)
                if (file[i].path[0] && lb_file_check(file[i].path, &err) < 0)
                        fail("lbrun_start",
                             "--%s: %s, on this node, whose rank writes it: name a "
                             "file that all nodes share",
                             file[i].option, err.text);
}

/* All ranks have the same gap free: the highest of their lowest, until it suits all. */
static uintptr_t agree_on_gap(const struct process *p, size_t bytes)
{
        enum { TRIES = 64 };
        uint64_t from = UINT64_C(1) << 36, agreed = 0; /* where the thread sanitizer looks, too */
        for (int i = 0; i < TRIES; i++) {
                uint64_t mine = memory_gap(from, bytes);
                MPI_Allreduce(&mine, &agreed, 1, MPI_UINT64_T, MPI_MAX, p->all);
                uint64_t bad = mine == 0 || agreed != mine, any;
                MPI_Allreduce(&bad, &any, 1, MPI_UINT64_T, MPI_MAX, p->all);
                if (!any)
                        break;
                from = agreed;
        }
        return agreed;
}

static struct memory *make_memory(uintptr_t begin, size_t bytes)
{
        struct lb_error err;
        struct memory *memory = memory_create(begin, bytes, &err);
        if (!memory)
                fail("lbrun_start", "%s; --param memory_gib=N takes another size", err.text);
        return memory;
}

/* Appranks whose tasks meet in one process have a range of addresses each, one after another; what
 * is there is at the same address wherever its apprank's tasks run. Others may have the same. */
static void start_memory(struct process *p)
{
        int32_t nrange = migrates(p) ? p->job->napprank : 1, own = migrates(p) ? p->apprank : 0;
        p->memory_bytes = (size_t)(p->job->param[JOB_MEMORY_GIB] * 1073741824.0);
        uintptr_t begin = agree_on_gap(p, (size_t)nrange * p->memory_bytes);
        p->others = calloc((size_t)nrange, sizeof(*p->others));
        if (!p->others)
                fail("lbrun_start", "out of memory");
        p->memory_begin = begin + (size_t)own * p->memory_bytes;
        p->memory = make_memory(p->memory_begin, p->memory_bytes);
        if (p->home)
                memory_fill(p->memory);
        for (int32_t i = 0; i < nrange; i++)
                if (i != own)
                        p->others[i] =
                            make_memory(begin + (size_t)i * p->memory_bytes, p->memory_bytes);
}

static void stop_memory(struct process *p)
{
        for (int32_t i = 0; i < (migrates(p) ? p->job->napprank : 1); i++)
                memory_destroy(p->others[i]);
        free(p->others);
        memory_destroy(p->memory);
}

/* ---- The node ---- */

static void start_board(struct process *p)
{
        const struct lb_shape *shape = &p->job->shape;
        int32_t count = shape->node_first[p->node + 1] - shape->node_first[p->node];
        struct lb_error err;
        const struct board_spec spec = { .job = p->job->id,
                                         .node = p->node,
                                         .nworker = count,
                                         .worker = p->local,
                                         .ncore = p->ncore };
        p->board = board_open(&spec, 60, &err);
        if (!p->board)
                fail("lbrun_start", "%s", err.text);
        p->self = board_worker(p->board, p->local);
}

/* Cores of the node's workers at the start, and who may own none; allocated. */
static int32_t *owned_at_start(const struct process *p, bool **may_own_none)
{
        const struct lb_shape *shape = &p->job->shape;
        int32_t first = shape->node_first[p->node], count = shape->node_first[p->node + 1] - first;
        struct lb_error err;
        int32_t *owned = calloc((size_t)shape->nworker, sizeof(*owned));
        int32_t *here = calloc((size_t)count, sizeof(*here));
        bool *none = *may_own_none = calloc((size_t)count, sizeof(*none));
        if (!owned || !here || !none)
                fail("lbrun_start", "out of memory");
        if (job_initial(p->job, owned, &err) < 0)
                fail("lbrun_start", "%s", err.text);
        for (int32_t i = 0; i < count; i++) {
                here[i] = owned[shape->node_worker[first + i]];
                none[i] = job_may_own_none(p->job, shape->node_worker[first + i]);
        }
        free(owned);
        return here;
}

static void end_hung(const char *text)
{
        fail("lbrun", "%s", text);
}

static void start_cores(struct process *p)
{
        const struct lb_shape *shape = &p->job->shape;
        bool *may_own_none;
        int32_t *owned = owned_at_start(p, &may_own_none);
        struct lb_error err;
        struct cores_choice choice;
        struct cores_spec spec = { .board = p->board,
                                   .job = p->job->id,
                                   .node = p->node,
                                   .ncore = p->ncore,
                                   .nworker =
                                       shape->node_first[p->node + 1] - shape->node_first[p->node],
                                   .worker = p->local,
                                   .owned = owned,
                                   .may_own_none = may_own_none,
                                   .hung = end_hung };
        enum cores_by by = (enum cores_by)p->job->param[JOB_CORES_BY];
        bool builtin = p->alone || job_grows(p->job);
        if (cores_choose(&choice, builtin ? CORES_BY_BUILTIN : by, &spec, &err) < 0)
                fail("lbrun_start", "%s", err.text);
        free(owned);
        free(may_own_none);
        if (choice.note[0])
                fprintf(stderr, "lbrun: %s\n", choice.note);
        p->cores_type = choice.type;
        p->cores = choice.cores;
}

static void on_wrong_decision(void *user, const char *what)
{
        (void)user;
        fail("decision", "%s", what);
}

static void start_control(struct process *p)
{
        struct lb_error err;
        struct control_spec spec = { .job = p->job,
                                     .worker = p->worker,
                                     .board = p->board,
                                     .cores_type = p->cores_type,
                                     .cores = p->cores,
                                     .post = offload_post_mail,
                                     .wrong = on_wrong_decision,
                                     .user = p };
        lock(p); /* under which policies are called, and watched */
        p->control = control_create(&spec, &err);
        unlock(p);
        if (!p->control)
                fail("lbrun_start", "%s", err.text);
}

static void start_transport(struct process *p)
{
        struct lb_error err;
        struct transport_spec spec = {
                .parent = p->all,
                .job = p->job->id,
                .spin_us = p->job->param[JOB_SPIN_US],
                .message_poll_us = p->job->param[JOB_MESSAGE_POLL_US],
                .handler = { [MESSAGE_TASK] = offload_on_task,
                             [MESSAGE_FINISHED] = offload_on_finished,
                             [MESSAGE_COPY] = copies_on_copy,
                             [MESSAGE_DATA] = copies_on_data,
                             [MESSAGE_MAIL] = offload_on_mail,
                             [MESSAGE_STOP] = offload_on_stop,
                             [MESSAGE_ASK] = save_on_ask,
                             [MESSAGE_SAVE] = save_on_save,
                             [MESSAGE_PART] = save_on_part,
                             [MESSAGE_SAVED] = save_on_saved,
                             [MESSAGE_BLOCK] = check_on_block,
                             [MESSAGE_LOAD] = migrate_on_load,
                             [MESSAGE_OUTPUT] = offload_on_output,
                             [MESSAGE_OFFER] = replicate_on_offer,
                             [MESSAGE_TAKE] = replicate_on_take,
                             [MESSAGE_CANCEL] = replicate_on_cancel,
                             [MESSAGE_GONE] = replicate_on_gone },
                .sent = p->migration ? migrate_on_sent : NULL,
                .overdue = threads_overdue,
                .user = p,
                .beats = &lifeline_own()->beats,
        };
        threads_transport(p, true);
        p->transport = transport_create(&spec, &err);
        threads_transport(p, false);
        if (!p->transport)
                fail("lbrun_start", "%s", err.text);
}

/* Time 0 of the job: on one machine, whose clock is the same for all, exactly; else when all have
 * met. */
static void agree_on_start(struct process *p)
{
        MPI_Barrier(p->all);
        int64_t mine = now_ns();
        p->start_ns = mine;
        if (p->job->virtual_nodes)
                MPI_Allreduce(&mine, &p->start_ns, 1, MPI_INT64_T, MPI_MIN, p->all);
        struct estate *estate = estate_own();
        atomic_store(&estate->start_ns, p->start_ns);
        atomic_store(&estate->until_ns, mine);
        atomic_store(&estate->worker, p->worker + 1);
}

/* ---- Life ---- */

void process_start(struct process *p, int *argc, char ***argv)
{
        calls_start();
        start_mpi(p, argc, argv);
        lifeline_reach(LIFE_START);
        read_job(p);
        find_place(p);
        check_files(p);
        start_memory(p);
        start_board(p);
        start_cores(p);
        pthread_cond_init(&p->changed, NULL);
        p->tasks = calloc((size_t)p->nplace, sizeof(*p->tasks));
        p->assigned_cost = calloc((size_t)p->nplace, sizeof(*p->assigned_cost));
        p->place_costs.assigned = p->assigned_cost;
        p->held = calloc((size_t)p->nplace, sizeof(*p->held));
        p->where = where_create(p->nplace);
        if (!p->tasks || !p->assigned_cost || !p->held || !p->where)
                fail("lbrun_start", "out of memory");
        if (migrates(p))
                migrate_start(p);
        copies_start(p);
        guard_start(p);
        start_control(p);
        account_start(p);
        record_start(p);
        cpus_start(p);
        timeline_start(p);
        save_start(p);
        check_start(p);
        lock(p); /* handlers wait until all is there */
        p->started = true;
        threads_prepare(p);
        start_transport(p);
        threads_start(p);
        threads_publish(p); /* before all meet: those who lead begin with it */
        account_publish(p);
        unlock(p);
        agree_on_start(p);
        lock(p);
        control_loads_begin(p->control, now_ns());
        unlock(p);
        keeper_start(p);
        lifeline_reach(LIFE_RUNS);
        cpus_meet(p);
        on_exit(fail_at_exit, NULL);
}

/* From here on nothing of the job is left in the process. */
void process_stop(struct process *p)
{
        polite_set_finalize(p->job->param[JOB_FINALIZE_S]);
        keeper_stop(p);
        threads_stop(p);
        p->copy_ns = transport_figures(p->transport).copy_ns;
        transport_destroy(p->transport);
        p->transport = NULL;
        lifeline_reach(LIFE_STOPPED);
        threads_finish(p);
        place_stop(p);
        if (!p->alone) {
                account_report(p);
                timeline_report(p);
                record_write(p);
                atomic_store(&estate_own()->is_written, 1);
        }
        p->started = false;
        save_stop(p);
        check_stop(p);
        control_destroy(p->control);
        guard_stop(p);
        p->cores_type->close(p->cores);
        board_close(p->board);
        copies_stop(p);
        migrate_stop(p);
        account_stop(p);
        record_stop(p);
        cpus_stop(p);
        timeline_stop(p);
        where_destroy(p->where);
        access_domain_destroy(p->root.domain);
        p->root.domain = NULL;
        stop_memory(p);
        free(p->tasks);
        free(p->assigned_cost);
        job_destroy(p->job);
        p->job = NULL;
        if (p->world != MPI_COMM_NULL)
                MPI_Comm_free(&p->world);
        MPI_Comm_free(&p->all);
        if (p->mpi_ours)
                MPI_Finalize();
}

/* A helper serves until its home says that the job ends. */
void process_serve(struct process *p)
{
        lock(p);
        while (!p->stopping)
                wait_unlocked(p, &p->changed);
        unlock(p);
        process_stop(p);
        if (!p->mpi_ours)
                MPI_Finalize(); /* all ranks must, and the program does not return here */
        exit(0);
}
