/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/measured.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "models/measured_impl.h"
#include "models/trace.h"

/* ---- Which format ---- */

enum format {
        FORMAT_NONE = 0,
        FORMAT_LBRUN,
        FORMAT_TALP,
        FORMAT_MPIP,
        FORMAT_PRV,
        FORMAT_OTF2,
        FORMAT_CSV
};

#ifndef LB_OTF2
int measured_read_otf2(struct measured *m, const char *file, struct lb_error *err)
{
        (void)m;
        return lb_error_set(err,
                            "'%.300s' is a trace in OTF2, which this lbsim cannot read: it was "
                            "built without the library (Debian: libotf2-trace-dev)",
                            file);
}
#endif

static const struct {
        const char *name;
        int (*read)(struct measured *m, const char *file, struct lb_error *err);
} formats[] = {
        [FORMAT_LBRUN] = { "lbrun measure", measured_read_lbrun },
        [FORMAT_TALP] = { "TALP", measured_read_talp },
        [FORMAT_MPIP] = { "mpiP", measured_read_mpip },
        [FORMAT_PRV] = { "Paraver", measured_read_prv },
        [FORMAT_OTF2] = { "OTF2", measured_read_otf2 },
        [FORMAT_CSV] = { "CSV", measured_read_csv },
};

/* The columns of a workload are one; anything else with columns is a measurement. */
static enum format format_of_text(const char *text)
{
        text += strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        const char *first = text + strspn(text, " \t\r\n");
        if (strncmp(first, "#Paraver", 8) == 0)
                return FORMAT_PRV;
        if (strncmp(first, "@ mpiP", 6) == 0)
                return FORMAT_MPIP;
        if (*first == '{')
                return FORMAT_TALP;
        if (*first == '[' || *first == '\0' || strncmp(first, "(\xb5/\xfd", 4) == 0)
                return FORMAT_NONE;
        return trace_is_header(first) ? FORMAT_NONE : FORMAT_CSV;
}

enum { PATH_SIZE = 4096 };

/* A folder is lbrun measure's, or Score-P's if its trace is in it: whose name goes into
 * file[PATH_SIZE]. */
static enum format format_of_folder(const char *path, char file[static PATH_SIZE])
{
        if (snprintf(file, PATH_SIZE, "%s/measured.json", path) < PATH_SIZE &&
            access(file, F_OK) != 0 &&
            snprintf(file, PATH_SIZE, "%s/traces.otf2", path) < PATH_SIZE &&
            access(file, F_OK) == 0)
                return FORMAT_OTF2;
        snprintf(file, PATH_SIZE, "%s", path);
        return FORMAT_LBRUN;
}

/* What to read goes into file[PATH_SIZE]. */
static enum format format_of(const char *path, char file[static PATH_SIZE])
{
        char text[256];
        struct stat status;
        snprintf(file, PATH_SIZE, "%s", path);
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
                return format_of_folder(path, file);
        FILE *in = fopen(path, "rb");
        if (!in)
                return FORMAT_NONE;
        lb_text_skip_mark(in);
        size_t size = fread(text, 1, sizeof(text) - 1, in);
        fclose(in);
        text[size] = '\0';
        if (size > 6 && memcmp(text + 2, "OTF2", 4) == 0) /* behind a chunk's mark and byte order */
                return FORMAT_OTF2;
        return format_of_text(text);
}

bool measured_is(const char *path)
{
        char file[PATH_SIZE];
        return format_of(path, file) != FORMAT_NONE;
}

/* ---- Memory ---- */

const struct measured_rank measured_rank_unknown = {
        .load_s = NAN, .mpi_s = NAN, .files_s = NAN, .unseen_s = NAN
};

int measured_ranks(struct measured *m, int64_t nrank, const char *file, struct lb_error *err)
{
        if (nrank < 1 || nrank > MEASURED_RANK_MAX)
                return lb_error_set(err, "%.300s: found %" PRId64 " ranks, allowed are 1 to %d",
                                    file, nrank, MEASURED_RANK_MAX);
        m->rank = calloc((size_t)nrank, sizeof(*m->rank));
        if (!m->rank)
                return lb_error_fail(err, "out of memory for '%.300s'", file);
        m->nrank = (int32_t)nrank;
        for (int32_t r = 0; r < m->nrank; r++)
                m->rank[r] = measured_rank_unknown;
        return 0;
}

int measured_windows(struct measured *m, int64_t nwindow, const char *file, struct lb_error *err)
{
        if (nwindow < 1 || nwindow > MEASURED_WINDOW_MAX)
                return lb_error_set(err, "%.300s: found %" PRId64 " windows, allowed are 1 to %d",
                                    file, nwindow, MEASURED_WINDOW_MAX);
        m->window_load_s = calloc((size_t)(nwindow * m->nrank), sizeof(double));
        if (!m->window_load_s)
                return lb_error_fail(err, "out of memory for '%.300s'", file);
        m->nwindow = nwindow;
        return 0;
}

void measured_cores(struct measured *m, int32_t cores)
{
        m->cores_differ |= m->cores_per_rank > 0 && m->cores_per_rank != cores;
        m->cores_per_rank = cores > m->cores_per_rank ? cores : m->cores_per_rank;
}

void measured_name_nodes(struct measured *m)
{
        for (int32_t r = 0; r < m->nrank; r++) {
                int32_t first = 0;
                m->nodes_known |= m->rank[r].host[0] != '\0';
                while (strcmp(m->rank[first].host, m->rank[r].host) != 0)
                        first++;
                m->rank[r].node = first;
        }
}

void measured_finish(struct measured *m)
{
        free(m->rank);
        free(m->window_load_s);
        free(m->site);
        *m = (struct measured){ 0 };
}

/* ---- Checks ---- */

/* Nodes in the order of their first rank, whatever numbers they came with. */
static void order_nodes(struct measured *m)
{
        for (int32_t r = 0; r < m->nrank; r++)
                m->rank[r].node = -1 - m->rank[r].node;
        m->nnode = 0;
        for (int32_t r = 0; r < m->nrank; r++) {
                int32_t old = m->rank[r].node;
                if (old >= 0)
                        continue;
                for (int32_t i = r; i < m->nrank; i++)
                        if (m->rank[i].node == old)
                                m->rank[i].node = m->nnode;
                m->nnode++;
        }
}

static int check(const struct measured *m, const char *path, struct lb_error *err)
{
        double most = 0;
        for (int32_t r = 0; r < m->nrank; r++) {
                double load_s = m->rank[r].load_s;
                if (!(load_s >= 0 && load_s <= 1e12))
                        return lb_error_set(
                            err, "%.300s: rank %d: found load %.6g s, allowed is 0 to 1e12", path,
                            r, load_s);
                most = fmax(most, load_s);
        }
        if (most < 1e-6)
                return lb_error_set(err,
                                    "%.300s: found no load of any rank, allowed is some (1e-6 s or "
                                    "more of one)",
                                    path);
        if (!isnan(m->wall_s) && !(m->wall_s > 0 && m->wall_s <= 1e12))
                return lb_error_set(err,
                                    "%.300s: found %.6g s for the whole run, allowed is more "
                                    "than 0",
                                    path, m->wall_s);
        return 0;
}

int measured_read(struct measured *m, const char *path, struct lb_error *err)
{
        char file[PATH_SIZE];
        enum format format = format_of(path, file);
        *m = (struct measured){ .wall_s = NAN,
                                .transfer_s = NAN,
                                .synchronisations = NAN,
                                .iterations = NAN,
                                .iterations_part = NAN,
                                .runnable_part = NAN };
        if (format == FORMAT_NONE)
                return lb_error_set(err,
                                    "'%.300s' is no measurement: allowed are a directory of lbrun "
                                    "measure, TALP's JSON, mpiP's text, a Paraver trace, OTF2, "
                                    "CSV",
                                    path);
        m->format = formats[format].name;
        if (formats[format].read(m, file, err) == 0 && check(m, path, err) == 0) {
                order_nodes(m);
                return 0;
        }
        measured_finish(m);
        return -1;
}
