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

#include "base/file.h"
#include "real/measure/rank_file.h"

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
                m->spawned += file->spawned != 0;
                munmap(file, sizeof(*file)); /* killed in MPI_Init; or has a world of its own */
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
        /* A note for which there was no room either, since another rank was quicker. */
        return text[0] ? lb_error_set(err, "%s", text)
                       : lb_error_set(err, "'%s' cannot be written: %s", path, strerror(ENOSPC));
}

static int read_entry(struct measurement *m, const char *directory, const char *name,
                      struct lb_error *err)
{
        char path[LB_PATH_SIZE];
        const char *end = strrchr(name, '.');
        if (lb_path(path, err, "%s/%s", directory, name) < 0)
                return -1;
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

/* ---- While it runs ---- */

int32_t measurement_first_of_node(const struct measurement *m, int32_t rank)
{
        int32_t first = 0;
        while (strcmp(m->rank[first]->host, m->rank[rank]->host) != 0)
                first++;
        return first;
}

bool measurement_peek(struct measurement *m, const char *directory)
{
        struct lb_error err;
        *m = (struct measurement){ 0 };
        bool known = read_files(m, directory, &err) == 0 && m->spawned == 0 && m->nrank > 0;
        for (int32_t i = 0; known && i < m->nrank; i++)
                known = m->rank[i]->size == m->nrank && m->rank[i]->expected == m->nrank;
        return known;
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
                return lb_error_set(
                    err, "no MPI call was seen: the program did not start, has no MPI, is "
                         "statically linked, or setuid; measuring needs an MPI program that is "
                         "linked with its MPI library, or loads it");
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
        for (int32_t i = 0; i < m->nrank; i++)
                if (m->rank[i]->before)
                        return lb_error_set(
                            err,
                            "rank %d ended %.3f s after MPI_Init, before the time of "
                            "--from",
                            i,
                            1e-9 * (double)(m->rank[i]->meter.end_ns - m->rank[i]->meter.start_ns));
        return m->nrank < size ? say_missing(m->nrank, size, err) : 0;
}

/* ---- Figures ---- */

double measurement_files_s(const struct rank_file *file)
{
        double sum_ns = 0;
        for (int k = 0; k <= SITE_ROOM; k++)
                if (strncmp(file->sites.site[k].title, "MPI_File_", strlen("MPI_File_")) == 0)
                        sum_ns += file->sites.site[k].inside_ns;
        return 1e-9 * sum_ns;
}

int32_t measurement_threads(const struct rank_file *file)
{
        static const double PART = 0.1;
        int32_t threads = file->threads > 1 ? file->threads : 1;
        bool help = file->helper_load_ns > PART * meter_load_ns(&file->meter);
        return threads + (help ? (int32_t)file->helpers : 0);
}

/* Wall time without a CPU and without wanting one, in which no thread of the rank's computed. */
static double blocked_s(const struct rank_file *file)
{
        const struct meter *meter = &file->meter;
        double computed_ns = fmax(0, file->other_cpu_ns) + meter->helped_ns;
        return 1e-9 * fmax(0, meter->blocked_ns - computed_ns);
}

double measurement_blocked_s(const struct rank_file *file)
{
        return file->meter.has_delay ? blocked_s(file) : 0;
}

double measurement_unseen_s(const struct rank_file *file)
{
        if (file->other_calls == 0)
                return 0;
        return file->meter.has_delay ? blocked_s(file) : NAN;
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
                m->team += file->threads > 1;
                m->load_s[i] = 1e-9 * meter_load_ns(meter);
                m->exited += file->state == RANK_EXITED;
                out += (double)meter->out_ns;
                delayed += meter->delayed_ns;
                cpu += meter->cpu_out_ns;
                divided += meter->divided_ns;
                wall += wall_ns;
                cost += file->cost.spent_ns;
        }
        m->overhead_percent = wall > delayed ? 100 * cost / (wall - delayed) : NAN;
        m->divided_percent = cpu > 0 ? 100 * divided / cpu : NAN;
        m->delayed_part = out > 0 ? delayed / out : 0;
}

int measurement_read(struct measurement *m, const char *directory, struct lb_error *err)
{
        *m = (struct measurement){
                .windows = NAN, .intervals = NAN, .iterations = NAN, .transfer_s = NAN
        };
        if (read_files(m, directory, err) < 0)
                goto error;
        if (m->nrank > 0)
                qsort(m->rank, (size_t)m->nrank, sizeof(*m->rank), by_rank);
        if (check_whole(m, err) < 0)
                goto error;
        m->load_s = calloc((size_t)m->nrank, sizeof(*m->load_s));
        m->regions = calloc((size_t)m->nrank, sizeof(*m->regions));
        if (!m->load_s || !m->regions) {
                (void)lb_error_fail(err, "out of memory");
                goto error;
        }
        sum_up(m);
        measurement_make_pop(m);
        if (measurement_make_rows(m, err) < 0 || measurement_make_sites(m, err) < 0)
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
        free(m->load_s);
        free(m->regions);
        free(m->window_load_s);
        free(m->iteration_load_s);
        free(m->site);
        *m = (struct measurement){ 0 };
}
