/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/zstd.h"
#include "base/number.h"
#include "base/param.h"
#include "models/measured_impl.h"

/*
 * CSV of any tool: a row for each rank, or for each rank in each window, with columns found by
 * name, in any order, further ones passed over. A name may end in a unit (_s, _ms, _us, _ns; none
 * is seconds, of which there are not more than 11 days); upper case, blanks and punctuation in it
 * do not matter.
 *
 *      rank        rank, apprank, process, proc, task
 *      load        load, work, useful, usefultime, cpu, cputime, compute, computation, busy
 *      apart from these, where there: mpi (mpitime), wall (walltime, elapsed, elapsedtime, runtime,
 *      apptime), window (iteration, step, phase), node (nodeid, host, hostname), cores (cpus,
 *      numcpus, threads), region (of which there may be one)
 */
enum column { RANK, LOAD, MPI, WALL, WINDOW, NODE, CORES, REGION, NCOLUMN };

static const struct {
        const char *meaning;
        const char *names[12];
} columns[NCOLUMN] = {
        [RANK] = { "rank", { "rank", "apprank", "process", "proc", "task", "mpirank" } },
        [LOAD] = { "load",
                   { "load", "work", "useful", "usefultime", "cpu", "cputime", "compute",
                     "computation", "computetime", "busy" } },
        [MPI] = { "mpi", { "mpi", "mpitime", "timeinmpi" } },
        [WALL] = { "wall", { "wall", "walltime", "elapsed", "elapsedtime", "runtime", "apptime" } },
        [WINDOW] = { "window", { "window", "iteration", "iter", "step", "phase" } },
        [NODE] = { "node", { "node", "nodeid", "host", "hostname" } },
        [CORES] = { "cores", { "cores", "cpus", "numcpus", "threads", "numthreads" } },
        [REGION] = { "region", { "region" } },
};

struct table {
        struct lb_csv csv;
        int32_t at[NCOLUMN];  /* -1: not there */
        double unit[NCOLUMN]; /* s, or NAN: the name has none */
};

/* Seconds of a column that does not say its unit: more are of another one. */
static const double unit_free_s = 1e6;

/* ---- Columns ---- */

/* Micro, as a letter: the two of Unicode, and Latin 1's. Returns its length, or 0. */
static size_t micro_at(const char *name)
{
        return strncmp(name, "\xc2\xb5", 2) == 0 || strncmp(name, "\xce\xbc", 2) == 0 ? 2
               : *name == '\xb5'                                                      ? 1
                                                                                      : 0;
}

/* "Useful Time (ms)" is "usefultime" and 1e-3. A part in a hundred is no time. */
static void plain_name(const char *name, char plain[static 64], double *unit)
{
        static const struct {
                const char *name;
                double unit;
        } units[] = { { "ms", 1e-3 },   { "us", 1e-6 }, { "ns", 1e-9 },
                      { "seconds", 1 }, { "sec", 1 },   { "s", 1 } };
        char last[64] = "";
        size_t size = 0, word = 0;
        bool apart = false;
        *unit = NAN;
        *plain = '\0';
        if (strchr(name, '%'))
                return;
        for (; *name && size < 63; name++) {
                size_t micro = micro_at(name);
                unsigned char c = micro ? 'u' : (unsigned char)*name;
                name += micro ? micro - 1 : 0;
                if (!isalnum(c)) {
                        apart = true;
                        continue;
                }
                if (apart || size == 0)
                        word = size;
                apart = false;
                plain[size++] = (char)tolower(c);
        }
        plain[size] = '\0';
        memcpy(last, plain + word, size - word + 1);
        for (size_t i = 0; word > 0 && i < sizeof(units) / sizeof(units[0]); i++)
                if (strcmp(last, units[i].name) == 0) {
                        *unit = units[i].unit;
                        plain[word] = '\0';
                        return;
                }
}

static bool is_named(enum column c, const char *plain)
{
        for (int i = 0; i < 12 && columns[c].names[i]; i++)
                if (strcmp(columns[c].names[i], plain) == 0)
                        return true;
        return false;
}

/* A "time" may be with or without waiting, so that its name does not make it the load. */
static int complain_of_names(const struct table *t, enum column missing, struct lb_error *err)
{
        char known[256];
        size_t count = 0;
        while (count < 12 && columns[missing].names[count])
                count++;
        lb_list_names(columns[missing].names, count, known, sizeof(known));
        return lb_error_set(err, "%.300s:1: found no column of the %s, allowed is one of %s%s",
                            t->csv.file, columns[missing].meaning, known,
                            missing == LOAD
                                ? ", with a unit behind it as in load_ms: time in which "
                                  "the rank computes, without waiting"
                                : "");
}

static int find_columns(struct table *t, struct lb_error *err)
{
        char plain[64];
        double unit;
        for (int c = 0; c < NCOLUMN; c++)
                t->at[c] = -1;
        for (int32_t i = 0; i < t->csv.ncolumn; i++) {
                plain_name(lb_csv_name(&t->csv, i), plain, &unit);
                for (int c = 0; c < NCOLUMN; c++) {
                        if (!is_named((enum column)c, plain))
                                continue;
                        if (t->at[c] >= 0 && c == NODE)
                                continue; /* its number and its name, as TALP has both */
                        if (t->at[c] >= 0)
                                return lb_error_set(
                                    err,
                                    "%.300s:1: columns \"%.60s\" and \"%.60s\" could both be the "
                                    "%s, allowed is one",
                                    t->csv.file, lb_csv_name(&t->csv, t->at[c]),
                                    lb_csv_name(&t->csv, i), columns[c].meaning);
                        t->at[c] = i;
                        t->unit[c] = unit;
                }
        }
        if (t->at[RANK] >= 0 && t->at[LOAD] >= 0)
                return 0;
        return complain_of_names(t, t->at[RANK] < 0 ? RANK : LOAD, err);
}

/* ---- Rows ---- */

/* A cell; a comma may be the decimal point where it does not part cells. Where it does, "2,000" in
 * quotes may be either. */
static int number_at(const struct table *t, int64_t row, enum column c, double least, double most,
                     double *value, struct lb_error *err)
{
        char text[64], *end;
        const char *cell = lb_csv_cell(&t->csv, row, t->at[c]);
        snprintf(text, sizeof(text), "%s", cell);
        char *comma = strchr(text, ',');
        if (comma && t->csv.separator != ',' && !strchr(text, '.'))
                *comma = '.';
        *value = lb_number_read(text, &end);
        bool plain = strspn(text, "0123456789+-.eE \t") == strlen(text); /* not hexadecimal */
        if (plain && end != text && end[strspn(end, " \t")] == '\0' && *value >= least &&
            *value <= most)
                return 0;
        return lb_error_set(err,
                            "%.300s:%" PRId64 ": %s: found '%.60s', allowed is a number from %.12g "
                            "to %.12g",
                            t->csv.file, row + 2, lb_csv_name(&t->csv, t->at[c]), cell, least,
                            most);
}

/* A cell that is a time, in s. */
static int time_at(const struct table *t, int64_t row, enum column c, double *time_s,
                   struct lb_error *err)
{
        bool known = !isnan(t->unit[c]);
        if (number_at(t, row, c, 0, 1e21, time_s, err) < 0)
                return -1;
        if (!known && *time_s > unit_free_s)
                return lb_error_set(err,
                                    "%.300s:%" PRId64 ": %s: found %.12g and no unit in the "
                                    "column's name, allowed are up to %.0f s, or a name as in "
                                    "%s_ns",
                                    t->csv.file, row + 2, lb_csv_name(&t->csv, t->at[c]), *time_s,
                                    unit_free_s, columns[c].meaning);
        *time_s *= known ? t->unit[c] : 1;
        return 0;
}

/* Where some numbers have a comma and others a point, one of them parts thousands. */
static int check_points(const struct table *t, struct lb_error *err)
{
        static const enum column numbers[] = { LOAD, MPI, WALL };
        int64_t row_of[2] = { -1, -1 };
        const char *cell_of[2] = { NULL, NULL };
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
                int32_t at = t->at[numbers[i]];
                for (int64_t row = 0; at >= 0 && row < t->csv.nrow; row++) {
                        const char *cell = lb_csv_cell(&t->csv, row, at);
                        for (int p = 0; p < 2; p++)
                                if (!cell_of[p] && strchr(cell, ",."[p])) {
                                        row_of[p] = row;
                                        cell_of[p] = cell;
                                }
                }
        }
        if (!cell_of[0] || !cell_of[1])
                return 0;
        return lb_error_set(err,
                            "%.300s:%" PRId64 ": found '%.60s', and '%.60s' in line %" PRId64
                            ": allowed is a decimal point or a decimal comma, the same in all, "
                            "and nothing between thousands",
                            t->csv.file, row_of[0] + 2, cell_of[0], cell_of[1], row_of[1] + 2);
}

/* Ranks have a row for each: those of which region? */
static int check_regions(const struct table *t, struct lb_error *err)
{
        for (int64_t row = 1; t->at[REGION] >= 0 && row < t->csv.nrow; row++) {
                const char *first = lb_csv_cell(&t->csv, 0, t->at[REGION]);
                const char *other = lb_csv_cell(&t->csv, row, t->at[REGION]);
                if (strcmp(first, other) != 0)
                        return lb_error_set(err,
                                            "%.300s:%" PRId64 ": found regions \"%.60s\" and "
                                            "\"%.60s\", allowed are the rows of one",
                                            t->csv.file, row + 2, first, other);
        }
        return 0;
}

/* The largest number of a column, + 1; a whole one, from 0. */
static int count_of(const struct table *t, enum column c, double most, int64_t *count,
                    struct lb_error *err)
{
        double value;
        *count = 1;
        for (int64_t row = 0; t->at[c] >= 0 && row < t->csv.nrow; row++) {
                if (number_at(t, row, c, 0, most, &value, err) < 0)
                        return -1;
                if (value != floor(value))
                        return lb_error_set(err,
                                            "%.300s:%" PRId64 ": %s: found %g, allowed are whole "
                                            "numbers from 0",
                                            t->csv.file, row + 2, columns[c].meaning, value);
                *count = (int64_t)value + 1 > *count ? (int64_t)value + 1 : *count;
        }
        return 0;
}

/* A rank stays where it is. */
static int take_node(const struct table *t, struct measured_rank *rank, int64_t row,
                     struct lb_error *err)
{
        const char *name = lb_csv_cell(&t->csv, row, t->at[NODE]);
        if (!*name || strlen(name) >= sizeof(rank->host))
                return lb_error_set(err,
                                    "%.300s:%" PRId64 ": %s: found '%.60s', allowed is a name of "
                                    "1 to %d characters",
                                    t->csv.file, row + 2, lb_csv_name(&t->csv, t->at[NODE]), name,
                                    MEASURED_HOST_SIZE - 1);
        if (rank->host[0] && strcmp(rank->host, name) != 0)
                return lb_error_set(err,
                                    "%.300s:%" PRId64 ": %s: found '%.60s' and, of the same rank, "
                                    "'%.60s' before, allowed is one node of a rank",
                                    t->csv.file, row + 2, lb_csv_name(&t->csv, t->at[NODE]), name,
                                    rank->host);
        snprintf(rank->host, sizeof(rank->host), "%s", name);
        return 0;
}

static int take_cores(const struct table *t, struct measured *m, int64_t row, struct lb_error *err)
{
        double value;
        if (number_at(t, row, CORES, 1, 4096, &value, err) < 0)
                return -1;
        if (value != floor(value))
                return lb_error_set(
                    err, "%.300s:%" PRId64 ": %s: found %g, allowed are whole numbers", t->csv.file,
                    row + 2, lb_csv_name(&t->csv, t->at[CORES]), value);
        measured_cores(m, (int32_t)value);
        return 0;
}

static int take_row(const struct table *t, struct measured *m, int64_t row, bool *seen,
                    struct lb_error *err)
{
        double rank, window = 0, load_s, value;
        if (number_at(t, row, RANK, 0, MEASURED_RANK_MAX, &rank, err) < 0 ||
            time_at(t, row, LOAD, &load_s, err) < 0 ||
            (t->at[WINDOW] >= 0 &&
             number_at(t, row, WINDOW, 0, MEASURED_WINDOW_MAX, &window, err) < 0))
                return -1;
        struct measured_rank *r = &m->rank[(int32_t)rank];
        int64_t place = (int64_t)window * m->nrank + (int64_t)rank;
        if (seen[place])
                return lb_error_set(err, "%.300s:%" PRId64 ": rank %.0f has a second row%s",
                                    t->csv.file, row + 2, rank,
                                    t->at[WINDOW] >= 0 ? " in this window" : "");
        seen[place] = true;
        r->load_s = (isnan(r->load_s) ? 0 : r->load_s) + load_s;
        if (m->nwindow > 0)
                m->window_load_s[place] = load_s;
        if (t->at[MPI] >= 0) {
                if (time_at(t, row, MPI, &value, err) < 0)
                        return -1;
                r->mpi_s = (isnan(r->mpi_s) ? 0 : r->mpi_s) + value;
        }
        if (t->at[CORES] >= 0 && take_cores(t, m, row, err) < 0)
                return -1;
        return t->at[NODE] >= 0 ? take_node(t, r, row, err) : 0;
}

/* Of a run: the longest of its ranks; of windows: the sum of theirs. */
static int sum_wall(const struct table *t, struct measured *m, struct lb_error *err)
{
        double value, window = 0;
        double *wall_s = calloc((size_t)m->nwindow + 1, sizeof(*wall_s));
        if (!wall_s)
                return lb_error_fail(err, "out of memory for '%.300s'", t->csv.file);
        int status = 0;
        for (int64_t row = 0; status == 0 && row < t->csv.nrow; row++) {
                status = time_at(t, row, WALL, &value, err);
                if (status == 0 && t->at[WINDOW] >= 0)
                        status = number_at(t, row, WINDOW, 0, MEASURED_WINDOW_MAX, &window, err);
                if (status == 0)
                        wall_s[(int64_t)window] = fmax(wall_s[(int64_t)window], value);
        }
        m->wall_s = 0;
        for (int64_t w = 0; w <= m->nwindow; w++)
                m->wall_s += wall_s[w];
        free(wall_s);
        return status;
}

static int fill(const struct table *t, struct measured *m, struct lb_error *err)
{
        int64_t nrank, nwindow;
        if (t->csv.nrow == 0)
                return lb_error_set(err, "%.300s: found no rows, allowed is at least one",
                                    t->csv.file);
        if (check_regions(t, err) < 0 || check_points(t, err) < 0)
                return -1;
        if (count_of(t, RANK, MEASURED_RANK_MAX - 1, &nrank, err) < 0 ||
            count_of(t, WINDOW, MEASURED_WINDOW_MAX - 1, &nwindow, err) < 0)
                return -1;
        if (nrank * nwindow != t->csv.nrow)
                return lb_error_set(err,
                                    "%.300s: found %" PRId64 " rows for ranks 0 to %" PRId64
                                    " in %" PRId64 " windows, allowed is one each",
                                    t->csv.file, t->csv.nrow, nrank - 1, nwindow);
        if (measured_ranks(m, nrank, t->csv.file, err) < 0 ||
            (t->at[WINDOW] >= 0 && measured_windows(m, nwindow, t->csv.file, err) < 0))
                return -1;
        bool *seen = calloc((size_t)(nrank * nwindow), sizeof(*seen));
        int status = seen ? 0 : lb_error_fail(err, "out of memory for '%.300s'", t->csv.file);
        for (int64_t row = 0; status == 0 && row < t->csv.nrow; row++)
                status = take_row(t, m, row, seen, err);
        free(seen);
        if (status == 0 && t->at[NODE] >= 0)
                measured_name_nodes(m);
        return status == 0 && t->at[WALL] >= 0 ? sum_wall(t, m, err) : status;
}

int measured_read_csv(struct measured *m, const char *file, struct lb_error *err)
{
        struct table t = { .csv = { 0 } };
        FILE *in = lb_zstd_open(file);
        int status = lb_csv_read(&t.csv, in, file, true, err);
        if (in)
                fclose(in);
        if (status < 0)
                return -1;
        status = find_columns(&t, err) < 0 ? -1 : fill(&t, m, err);
        lb_csv_close(&t.csv);
        return status;
}
