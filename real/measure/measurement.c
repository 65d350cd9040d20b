/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/measure/measurement.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "real/measure/rank_file.h"

enum { ROW_MAX = 10000000, PATH_SIZE = 4096 };
static const double SHARED_PART = 0.1; /* so much delay, and factors of efficiency mean nothing */

/* ---- Files ---- */

static struct rank_file *map_rank(const char *path, struct lb_error *err)
{
        struct stat status;
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        void *map = MAP_FAILED;
        if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size == sizeof(struct rank_file))
                map = mmap(NULL, sizeof(struct rank_file), PROT_READ, MAP_PRIVATE, fd, 0);
        if (fd >= 0)
                close(fd);
        if (map != MAP_FAILED)
                return map;
        lb_error_fail(err, "'%s' cannot be read, or is not of this version: %s", path,
                      errno ? strerror(errno) : "wrong size");
        return NULL;
}

static int add_rank(struct measurement *m, const char *path, struct lb_error *err)
{
        struct rank_file *file = map_rank(path, err);
        if (!file)
                return -1;
        if (memcmp(file->magic, RANK_FILE_MAGIC, sizeof(RANK_FILE_MAGIC)) != 0 || file->spawned) {
                munmap(file, sizeof(*file)); /* killed in MPI_Init; or of no job of ours */
                return 0;
        }
        struct rank_file **larger = realloc(m->rank, (size_t)(m->nrank + 1) * sizeof(*larger));
        if (!larger) {
                munmap(file, sizeof(*file));
                return lb_error_fail(err, "out of memory");
        }
        m->rank = larger;
        m->rank[m->nrank++] = file;
        return 0;
}

static int say_wrong(const char *path, struct lb_error *err)
{
        char text[512] = "";
        FILE *file = fopen(path, "re");
        if (file && !fgets(text, sizeof(text), file))
                text[0] = '\0';
        if (file)
                fclose(file);
        text[strcspn(text, "\n")] = '\0';
        return lb_error_set(err,
                            "%s: each rank would run alone; start it with the launcher of its own "
                            "MPI (mpirun.openmpi or mpirun.mpich)",
                            text);
}

static int read_entry(struct measurement *m, const char *directory, const char *name,
                      struct lb_error *err)
{
        char path[PATH_SIZE];
        const char *end = strrchr(name, '.');
        if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= PATH_SIZE)
                return lb_error_set(err, "'%.60s...' has too long a name", directory);
        if (end && strcmp(end, ".wrong") == 0)
                return say_wrong(path, err);
        return end && strcmp(end, ".rank") == 0 ? add_rank(m, path, err) : 0;
}

static int read_files(struct measurement *m, const char *directory, struct lb_error *err)
{
        DIR *entries = opendir(directory);
        int failed = 0;
        if (!entries)
                return lb_error_set(err, "'%s' cannot be read: %s", directory, strerror(errno));
        for (struct dirent *entry; !failed && (entry = readdir(entries));)
                failed = read_entry(m, directory, entry->d_name, err);
        closedir(entries);
        return failed;
}

/* ---- One whole job? ---- */

static int by_rank(const void *a, const void *b)
{
        const struct rank_file *left = *(struct rank_file *const *)a;
        const struct rank_file *right = *(struct rank_file *const *)b;
        return (left->rank > right->rank) - (left->rank < right->rank);
}

static int check_alone(const struct measurement *m, struct lb_error *err)
{
        const struct rank_file *first = m->rank[0];
        if (first->size == 1 && (m->nrank > 1 || first->expected > 1))
                return lb_error_set(err,
                                    "'%s' ran as %d programs of one rank each, not as one of %d: "
                                    "the launcher is not that of its MPI; use mpirun of the MPI it "
                                    "was built with, or srun --mpi=...",
                                    first->program, m->nrank,
                                    first->expected > m->nrank ? first->expected : m->nrank);
        return 0;
}

static int say_missing(int32_t rank, int32_t size, struct lb_error *err)
{
        return lb_error_set(
            err,
            "rank %d of %d did not report: it ended before MPI_Init did, or its node "
            "does not see the directory of --out, which all must share",
            rank, size);
}

static int check_whole(const struct measurement *m, struct lb_error *err)
{
        if (m->nrank == 0)
                return lb_error_set(err, "no MPI call was seen: the program has no MPI, is "
                                         "statically linked, or setuid; measuring needs an MPI "
                                         "program that loads its MPI library");
        if (check_alone(m, err) < 0)
                return -1;
        int32_t size = m->rank[0]->size;
        for (int32_t i = 0; i < m->nrank; i++) {
                const struct rank_file *file = m->rank[i];
                if (file->size != size || (i > 0 && file->rank == m->rank[i - 1]->rank))
                        return lb_error_set(err,
                                            "more than one MPI program ran ('%s', '%s'): measure "
                                            "one at a time",
                                            m->rank[0]->program, file->program);
                if (file->rank != i)
                        return say_missing(i, size, err);
        }
        return m->nrank < size ? say_missing(m->nrank, size, err) : 0;
}

/* ---- Figures ---- */

static double load_s(const struct measurement *m, int32_t rank)
{
        return 1e-9 * meter_load_ns(&m->rank[rank]->meter);
}

static void sum_up(struct measurement *m)
{
        double out = 0, delayed = 0, cpu = 0, divided = 0, cost = 0, wall = 0;
        for (int32_t i = 0; i < m->nrank; i++) {
                const struct rank_file *file = m->rank[i];
                const struct meter *meter = &file->meter;
                double wall_ns = (double)(meter->end_ns - meter->start_ns);
                m->wall_s = fmax(m->wall_s, 1e-9 * wall_ns);
                m->calls += meter->calls + file->other_calls;
                m->killed += file->state == RANK_RUNS;
                m->exited += file->state == RANK_EXITED;
                out += (double)meter->out_ns;
                delayed += meter->delayed_ns;
                cpu += meter->cpu_out_ns;
                divided += meter->divided_ns;
                wall += wall_ns;
                cost += (double)meter->calls * file->call_cost_ns +
                        (double)meter->reads * file->read_cost_ns;
        }
        m->overhead_percent = wall > 0 ? 100 * cost / wall : NAN;
        m->divided_percent = cpu > 0 ? 100 * divided / cpu : NAN;
        m->delayed_part = out > 0 ? delayed / out : 0;
}

/* The sum of the largest, and of the averages, of rows[count][nrank]. */
static double imbalance(const double *rows, int64_t count, int32_t nrank)
{
        double largest = 0, average = 0;
        for (int64_t row = 0; row < count; row++) {
                double most = 0, sum = 0;
                for (int32_t i = 0; i < nrank; i++) {
                        most = fmax(most, rows[row * nrank + i]);
                        sum += rows[row * nrank + i];
                }
                largest += most;
                average += sum / nrank;
        }
        return average > 0 ? largest / average : NAN;
}

/* Rows of a series of all ranks, folded `shift` times; allocated, NULL where there is no memory. */
static double *make_rows(const struct measurement *m, int32_t shift, int64_t first, int64_t count,
                         bool windows)
{
        double *rows = calloc((size_t)(count * m->nrank) + 1, sizeof(*rows));
        for (int32_t i = 0; rows && i < m->nrank; i++) {
                const struct meter *meter = &m->rank[i]->meter;
                const struct meter_series *series = windows ? &meter->windows : &meter->intervals;
                const double *value = windows ? meter->window_load_ns : meter->interval_ns;
                for (int64_t k = 0; k < series->count; k++) {
                        int64_t row = ((series->first + k) >> (shift - series->shift)) - first;
                        rows[row * m->nrank + i] += 1e-9 * value[k];
                }
        }
        return rows;
}

static int make_windows(struct measurement *m, struct lb_error *err)
{
        int32_t shift = 0;
        int64_t first = INT64_MAX, last = INT64_MIN;
        for (int32_t i = 0; i < m->nrank; i++) {
                const struct meter_series *series = &m->rank[i]->meter.windows;
                shift = series->shift > shift ? series->shift : shift;
                int64_t begin = series->first << series->shift;
                int64_t end = (series->first + series->count) << series->shift;
                first = series->count > 0 && begin < first ? begin : first;
                last = series->count > 0 && end - 1 > last ? end - 1 : last;
        }
        if (first > last)
                return 0;
        while (((last >> shift) - (first >> shift) + 1) * m->nrank > ROW_MAX)
                shift++;
        m->nwindow = (last >> shift) - (first >> shift) + 1;
        m->window_s = 1e-9 * (double)(m->rank[0]->meter.window_ns << shift);
        m->window_load_s = make_rows(m, shift, first >> shift, m->nwindow, true);
        if (!m->window_load_s)
                return lb_error_fail(err, "out of memory");
        m->windows = imbalance(m->window_load_s, m->nwindow, m->nrank);
        return 0;
}

/* Where all ranks have counted the same. */
static int make_intervals(struct measurement *m, struct lb_error *err)
{
        const struct meter *first = &m->rank[0]->meter;
        m->intervals = NAN;
        for (int32_t i = 0; i < m->nrank; i++)
                if (m->rank[i]->meter.synchronisations != first->synchronisations)
                        return 0;
        m->synchronisations = first->synchronisations - (m->killed == 0); /* the end is none */
        if (m->synchronisations <= 0)
                return 0;
        double *rows = make_rows(m, first->intervals.shift, first->intervals.first,
                                 first->intervals.count, false);
        if (!rows)
                return lb_error_fail(err, "out of memory");
        m->intervals = imbalance(rows, first->intervals.count, m->nrank);
        free(rows);
        return 0;
}

/* Ranks on the machine of rank i, and their load; the machine counts where i is its first. */
static double node_load_s(const struct measurement *m, int32_t i, int32_t *ranks)
{
        double sum_s = 0;
        *ranks = 0;
        for (int32_t j = 0; j < m->nrank; j++) {
                if (strcmp(m->rank[i]->host, m->rank[j]->host) != 0)
                        continue;
                if (j < i)
                        return -1;
                sum_s += load_s(m, j);
                ++*ranks;
        }
        return sum_s;
}

static void make_factors(struct measurement *m)
{
        double most = 0, sum = 0, most_of_node = 0;
        for (int32_t i = 0; i < m->nrank; i++) {
                int32_t ranks;
                double of_node = node_load_s(m, i, &ranks);
                most = fmax(most, load_s(m, i));
                sum += load_s(m, i);
                if (of_node < 0)
                        continue;
                m->nnode++;
                most_of_node = fmax(most_of_node, of_node / ranks);
        }
        double average = sum / m->nrank;
        m->run = average > 0 ? most / average : NAN;
        bool known = m->delayed_part <= SHARED_PART && average > 0;
        m->load_balance = known ? average / most : NAN;
        m->load_balance_between = known ? average / most_of_node : NAN;
        m->load_balance_within = known ? most_of_node / most : NAN;
        m->communication_efficiency = known ? most / m->wall_s : NAN;
        m->parallel_efficiency = known ? average / m->wall_s : NAN;
}

int measurement_read(struct measurement *m, const char *directory, struct lb_error *err)
{
        *m = (struct measurement){ .windows = NAN };
        if (read_files(m, directory, err) < 0)
                goto error;
        if (m->nrank > 0)
                qsort(m->rank, (size_t)m->nrank, sizeof(*m->rank), by_rank);
        if (check_whole(m, err) < 0)
                goto error;
        sum_up(m);
        make_factors(m);
        if (make_windows(m, err) < 0 || make_intervals(m, err) < 0)
                goto error;
        return 0;
error:
        measurement_finish(m);
        return -1;
}

void measurement_finish(struct measurement *m)
{
        for (int32_t i = 0; i < m->nrank; i++)
                munmap(m->rank[i], sizeof(*m->rank[i]));
        free(m->rank);
        free(m->window_load_s);
        *m = (struct measurement){ 0 };
}
