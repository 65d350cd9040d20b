/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The event queue alone: one pending event per core, of which the earliest is replaced by a later
 * one again and again, as when a task ends and the next begins. The tournament tree of
 * sim/engine/queue.h against a binary heap of the same keys; both must meet the same events in the
 * same order.
 *
 *   bench_queue [CORES...]
 *
 * Prints a table of processor time per event, the least of five runs of each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "sim/engine/queue.h"

enum { NEVENT = 4000000, NRUN = 5, NDURATION = 1 << 16 };
enum { NCORE_MIN = 64 }; /* with fewer the run would last longer than the queue's span */

/* What a run did: time per event, and a digest of the order of events. */
struct outcome {
        double ns;
        uint64_t digest;
};

static int64_t durations_ns[NDURATION]; /* 45 to 55 ms, drawn ahead so that drawing costs nothing */

static double cpu_s(void)
{
        struct timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void draw_durations(void)
{
        struct lb_random random;
        lb_random_init(&random, 1, LB_RANDOM_TEST, 0);
        for (int i = 0; i < NDURATION; i++)
                durations_ns[i] = 45000000 + (int64_t)lb_random_below(&random, 10000001);
}

static uint64_t key_of(int64_t time_ns, int32_t slot)
{
        return (uint64_t)time_ns << QUEUE_SLOT_BITS | (uint64_t)slot;
}

static int32_t slot_of(uint64_t key)
{
        return (int32_t)(key & ((1 << QUEUE_SLOT_BITS) - 1));
}

static uint64_t digest_add(uint64_t digest, uint64_t key)
{
        return (digest ^ key) * 0x9e3779b97f4a7c15;
}

static int64_t duration_of(int32_t event)
{
        return durations_ns[event % NDURATION];
}

static struct outcome run_tree(int32_t ncore)
{
        struct queue queue;
        struct lb_error err;
        if (queue_init(&queue, ncore, &err) < 0) {
                fprintf(stderr, "bench_queue: %s\n", err.text);
                exit(1);
        }
        uint64_t digest = 0;
        for (int32_t slot = 0; slot < ncore; slot++)
                queue_set(&queue, slot, duration_of(slot));
        double start = cpu_s();
        for (int32_t event = 0; event < NEVENT; event++) {
                uint64_t key = queue_top(&queue);
                digest = digest_add(digest, key);
                queue_set(&queue, queue_slot(&queue, key),
                          queue_time(&queue, key) + duration_of(event));
        }
        double seconds = cpu_s() - start;
        queue_finish(&queue);
        return (struct outcome){ seconds / NEVENT * 1e9, digest };
}

/* Put a key where heap[1] was, in a heap of n from heap[1] on. */
static void heap_replace_top(uint64_t *heap, int32_t n, uint64_t key)
{
        int32_t at = 1;
        for (int32_t child = 2; child <= n; child = 2 * at) {
                child += child < n && heap[child + 1] < heap[child];
                if (heap[child] >= key)
                        break;
                heap[at] = heap[child];
                at = child;
        }
        heap[at] = key;
}

static int ascending(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
        return (x > y) - (x < y);
}

static struct outcome run_heap(int32_t ncore)
{
        uint64_t *heap = malloc(((size_t)ncore + 1) * sizeof(*heap));
        if (!heap) {
                fprintf(stderr, "bench_queue: out of memory for %d cores\n", ncore);
                exit(1);
        }
        uint64_t digest = 0;
        for (int32_t slot = 0; slot < ncore; slot++)
                heap[slot + 1] = key_of(duration_of(slot), slot);
        qsort(heap + 1, (size_t)ncore, sizeof(*heap), ascending); /* a sorted array is a heap */
        double start = cpu_s();
        for (int32_t event = 0; event < NEVENT; event++) {
                uint64_t key = heap[1];
                digest = digest_add(digest, key);
                int64_t time_ns = (int64_t)(key >> QUEUE_SLOT_BITS) + duration_of(event);
                heap_replace_top(heap, ncore, key_of(time_ns, slot_of(key)));
        }
        double seconds = cpu_s() - start;
        free(heap);
        return (struct outcome){ seconds / NEVENT * 1e9, digest };
}

/* The least of NRUN runs; they alternate, so that both see the same machine. Returns -1 if they
 * differ. */
static int compare(int32_t ncore)
{
        struct outcome tree = run_tree(ncore), heap = run_heap(ncore);
        for (int run = 1; run < NRUN; run++) {
                struct outcome t = run_tree(ncore), h = run_heap(ncore);
                tree.ns = t.ns < tree.ns ? t.ns : tree.ns;
                heap.ns = h.ns < heap.ns ? h.ns : heap.ns;
        }
        printf("%10d %12.1f %12.1f %8.2f\n", ncore, tree.ns, heap.ns, heap.ns / tree.ns);
        if (tree.digest == heap.digest)
                return 0;
        fprintf(stderr, "bench_queue: %d cores: tree and heap order events differently\n", ncore);
        return -1;
}

int main(int argc, char **argv)
{
        static const int32_t usual[] = { 192, 3072, 49152 };
        int status = 0;
        draw_durations();
        printf("%10s %12s %12s %8s\n", "cores", "tree ns", "heap ns", "ratio");
        for (int i = 1; i < argc; i++) {
                int32_t ncore = atoi(argv[i]);
                if (ncore < NCORE_MIN || ncore > 1 << QUEUE_SLOT_BITS) {
                        fprintf(stderr, "bench_queue: found \"%s\" cores, allowed is %d to %d\n",
                                argv[i], NCORE_MIN, 1 << QUEUE_SLOT_BITS);
                        return 2;
                }
                status |= compare(ncore);
        }
        for (size_t i = 0; argc < 2 && i < sizeof(usual) / sizeof(usual[0]); i++)
                status |= compare(usual[i]);
        return status ? 1 : 0;
}
