/*
 * Throughput of the simulator: tasks simulated per second, of nodes of 48 cores, one apprank each,
 * 100 tasks per core and iteration, imbalance 2.0.
 *
 *   bench_sim SYSTEM NODES DEGREE ITERATIONS RUNS [none | JITTER | cholesky | JITTER_CV NS...]
 *
 * Prints: tasks, least processor seconds of RUNS runs, simulated nanoseconds, peak memory in KiB.
 * JITTER is a value of workload.jitter, gaussian where nothing is said: durations scatter by 10 %.
 * none: tasks of one duration, the simulator's best case. NS, one per node, are the task durations
 * in place of random loads, without any overhead; JITTER_CV over 0 makes the durations of a node's
 * tasks differ. cholesky: as many tasks that wait for each other, five factorisations of 16 x 16
 * tiles of 512 rows a node.
 *
 * With LB_BENCH_THREADS=N in the environment all look for messages together and a run has N
 * threads; seconds are wall time then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/sim/sim_world.h"

enum { NNODE_MAX = 4096 };

static double now_s(void)
{
        struct timespec t;
        clock_gettime(getenv("LB_BENCH_THREADS") ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
        return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Task durations as given, and no cost but the tasks themselves: what SimGrid's actors simulate. */
static void as_given(struct world *w, char *jitter_cv, char **ns, double *load_ms)
{
        for (int32_t n = 0; n < w->nnode; n++)
                load_ms[n] = atof(ns[n]) * 1e-6;
        w->load_ms = load_ms;
        w->workload[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], "given");
        w->workload[WORKLOAD_JITTER] =
            lb_param_choice(&workload_params[WORKLOAD_JITTER], "lognormal");
        w->workload[WORKLOAD_JITTER_CV] = atof(jitter_cv);
        w->runtime[RUNTIME_CREATE_US] = w->runtime[RUNTIME_TASK_US] = 0;
        w->network[NETWORK_LATENCY_US] = w->network[NETWORK_MESSAGE_CPU_US] = 0;
}

static void factorise(struct world *w)
{
        w->workload[WORKLOAD_MODEL] = lb_param_choice(&workload_params[WORKLOAD_MODEL], "cholesky");
        w->workload[WORKLOAD_CHOLESKY_SIZE] = 16 * 512;
        w->workload[WORKLOAD_CHOLESKY_BLOCK] = 512;
        w->workload[WORKLOAD_CHOLESKY_MATRICES] = 5;
}

static void use_threads(struct world *w)
{
        const char *threads = getenv("LB_BENCH_THREADS");
        if (!threads)
                return;
        w->threads = atoi(threads);
        w->runtime[RUNTIME_LOOKS] = LOOKS_TOGETHER;
}

/* Durations that scatter by 10 %. */
static void scatter(struct world *w, const char *jitter)
{
        w->workload[WORKLOAD_JITTER] = lb_param_choice(&workload_params[WORKLOAD_JITTER], jitter);
        w->workload[WORKLOAD_JITTER_CV] = 0.1;
}

int main(int argc, char **argv)
{
        int nnode = argc < 6 ? 0 : atoi(argv[2]);
        const char *kind = argc == 7 ? argv[6] : "gaussian";
        bool cholesky = strcmp(kind, "cholesky") == 0;
        bool known = cholesky || lb_param_choice(&workload_params[WORKLOAD_JITTER], kind) >= 0;
        if (nnode < 1 || nnode > NNODE_MAX || (argc > 7 && argc != 7 + nnode) || !known ||
            !system_find(argv[1])) {
                fprintf(stderr,
                        "usage: bench_sim SYSTEM NODES DEGREE ITERATIONS RUNS [none | JITTER | "
                        "cholesky | JITTER_CV NS...]\n");
                return 2;
        }
        static struct world w;
        static double load_ms[NNODE_MAX];
        world_init(&w, nnode, 48, atoi(argv[3]), argv[1]);
        w.workload[WORKLOAD_ITERATIONS] = atof(argv[4]);
        use_threads(&w);
        if (cholesky)
                factorise(&w);
        else if (argc > 7)
                as_given(&w, argv[6], argv + 7, load_ms);
        else
                scatter(&w, kind);
        double least = 1e300, tasks = 0, total_s = 0;
        for (int run = 0; run < atoi(argv[5]); run++) {
                struct sim_result result;
                struct lb_error err;
                double start = now_s();
                if (world_run(&w, &result, &err) < 0) {
                        fprintf(stderr, "bench_sim: %s\n", err.text);
                        return 1;
                }
                double seconds = now_s() - start;
                least = seconds < least ? seconds : least;
                tasks = result.metric[METRIC_TASKS];
                total_s = result.metric[METRIC_TOTAL_S];
                sim_result_finish(&result);
        }
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("%.0f %.4f %.0f %ld\n", tasks, least, total_s * 1e9, usage.ru_maxrss);
        return 0;
}
